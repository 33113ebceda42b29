/** Intents and their shapes, with vectors. */
import type {
  EpisodeOfIntent,
  Learned,
  NewVectors,
  Sample,
  StoredIntent,
  StoredShape,
} from "../../ports/store.ts";
import { type Database, sql, type Statement, type Transaction } from "./driver.ts";
import { indexable } from "./texts.ts";
import { bytesOf, vectorOf } from "./vectors.ts";

/** Moves the tenant's version, and so lets one writer of a tenant at a time past; answers nothing where it is gone. */
export function moveVersion(tenantId: string): Statement<{ version: number }> {
  return sql("UPDATE tenant SET version = version + 1 WHERE tenant_id = $1 RETURNING version", tenantId);
}

export function hasShape(tenantId: string, shapeId: string): Statement<unknown> {
  return sql("SELECT 1 FROM shape WHERE tenant_id = $1 AND shape_id = $2", tenantId, shapeId);
}

export function add(
  tenantId: string,
  { intent, shape, space, episode }: Learned,
  { version, isNew }: { readonly version: number; readonly isNew: boolean },
): Statement<unknown>[] {
  const words = [...new Set(shape.words.map(indexable))];
  const statements = [
    sql(
      `INSERT INTO intent (tenant_id, intent_id, text, space, vector, episodes) VALUES ($1, $2, $3, $4, $5, 1)
       ON CONFLICT (tenant_id, intent_id) DO UPDATE SET episodes = intent.episodes + 1`,
      tenantId,
      intent.intentId,
      intent.text,
      space,
      bytesOf(intent.vector),
    ),
    sql(
      `INSERT INTO shape (tenant_id, shape_id, family_id, text, words, space, vector, episodes, version)
       VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8)
       ON CONFLICT (tenant_id, shape_id) DO UPDATE SET episodes = shape.episodes + 1`,
      tenantId,
      shape.shapeId,
      episode.familyId,
      shape.text,
      words,
      space,
      bytesOf(shape.vector),
      version,
    ),
  ];
  return isNew ? [...statements, ...addWords(tenantId, words, version)] : statements;
}

function addWords(tenantId: string, words: readonly string[], version: number): Statement<unknown>[] {
  return [
    sql("UPDATE tenant SET shapes = shapes + 1 WHERE tenant_id = $1", tenantId),
    sql(
      "INSERT INTO shape_word (tenant_id, word, version) SELECT $1, word, $3 FROM unnest($2::text[]) AS word",
      tenantId,
      words,
      version,
    ),
    sql(
      `INSERT INTO word (tenant_id, word, shapes) SELECT $1, word, 1 FROM unnest($2::text[]) AS word
       ON CONFLICT (tenant_id, word) DO UPDATE SET shapes = word.shapes + 1`,
      tenantId,
      words,
    ),
  ];
}

export interface Released {
  readonly intentId: string;
  readonly shapeId: string;
}

/** Takes episodes away from their intents and shapes; the last one takes them along. */
export async function release(
  transaction: Transaction,
  tenantId: string,
  episodes: readonly Released[],
): Promise<void> {
  const shapeIds = episodes.map(({ shapeId }) => shapeId);
  const intentIds = episodes.map(({ intentId }) => intentId);
  const [, , , { rows: gone }] = await transaction.batch([
    sql(
      `UPDATE intent i SET episodes = i.episodes - d.n
       FROM (SELECT id, count(*) AS n FROM unnest($2::text[]) AS id GROUP BY id) d
       WHERE i.tenant_id = $1 AND i.intent_id = d.id`,
      tenantId,
      intentIds,
    ),
    sql(
      "DELETE FROM intent WHERE tenant_id = $1 AND intent_id = ANY ($2) AND episodes <= 0",
      tenantId,
      intentIds,
    ),
    sql(
      `UPDATE shape s SET episodes = s.episodes - d.n
       FROM (SELECT id, count(*) AS n FROM unnest($2::text[]) AS id GROUP BY id) d
       WHERE s.tenant_id = $1 AND s.shape_id = d.id`,
      tenantId,
      shapeIds,
    ),
    sql<{ version: number; words: string[] }>(
      `DELETE FROM shape WHERE tenant_id = $1 AND shape_id = ANY ($2) AND episodes <= 0 RETURNING version, words`,
      tenantId,
      shapeIds,
    ),
  ]);
  if (gone.length > 0) await removeWords(transaction, tenantId, gone);
}

async function removeWords(
  transaction: Transaction,
  tenantId: string,
  shapes: readonly { readonly version: number; readonly words: readonly string[] }[],
): Promise<void> {
  const pairs = shapes.flatMap(({ version, words }) => words.map((word) => ({ word, version })));
  const words = pairs.map(({ word }) => word);
  await transaction.batch([
    sql("UPDATE tenant SET shapes = shapes - $2 WHERE tenant_id = $1", tenantId, shapes.length),
    sql(
      `DELETE FROM shape_word s USING unnest($2::text[], $3::bigint[]) AS d (word, version)
       WHERE s.tenant_id = $1 AND s.word = d.word AND s.version = d.version`,
      tenantId,
      words,
      pairs.map(({ version }) => version),
    ),
    sql(
      `UPDATE word w SET shapes = w.shapes - d.n
       FROM (SELECT word, count(*) AS n FROM unnest($2::text[]) AS word GROUP BY word) d
       WHERE w.tenant_id = $1 AND w.word = d.word`,
      tenantId,
      words,
    ),
    sql("DELETE FROM word WHERE tenant_id = $1 AND word = ANY ($2) AND shapes <= 0", tenantId, words),
  ]);
}

export async function findShape(
  db: Database,
  tenantId: string,
  shapeId: string,
): Promise<StoredShape | null> {
  const row = await db
    .tenant(tenantId)
    .get<ShapeRow>(
      `SELECT ${SHAPE_COLUMNS} FROM shape WHERE tenant_id = $1 AND shape_id = $2`,
      tenantId,
      shapeId,
    );
  return row === undefined ? null : shapeOf(row, row.space);
}

/** One chunk of intents in the order of their ids, after the given one. */
export async function intentsAfter(
  db: Database,
  { tenantId, space, after, limit }: { tenantId: string; space: string; after: string; limit: number },
): Promise<StoredIntent[]> {
  const [{ rows }] = await db.tenant(tenantId).batch([selectIntents(tenantId, after, limit)]);
  return rows.map((row) => intentOf(row, space));
}

function selectIntents(tenantId: string, after: string, limit: number): Statement<IntentRow> {
  return sql(
    `SELECT intent_id, text, space, vector_send(vector) AS vector FROM intent
     WHERE tenant_id = $1 AND intent_id > $2 ORDER BY intent_id LIMIT $3`,
    tenantId,
    after,
    limit,
  );
}

/** The version is read first, so that a change meanwhile makes it too old and never too new. */
export async function sample(db: Database, tenantId: string, space: string, limit: number): Promise<Sample> {
  const [version, intents, shapes] = await db
    .tenant(tenantId)
    .batch([
      selectVersion(tenantId),
      selectIntents(tenantId, "", limit),
      sql<ShapeRow>(
        `SELECT ${SHAPE_COLUMNS} FROM shape WHERE tenant_id = $1 ORDER BY shape_id LIMIT $2`,
        tenantId,
        limit,
      ),
    ]);
  return {
    version: version.rows[0]?.version ?? 0,
    intents: intents.rows.map((row) => intentOf(row, space)),
    shapes: shapes.rows.map((row) => shapeOf(row, space)),
  };
}

export async function versionOf(db: Database, tenantId: string): Promise<number> {
  const [{ rows }] = await db.tenant(tenantId).batch([selectVersion(tenantId)]);
  return rows[0]?.version ?? 0;
}

function selectVersion(tenantId: string): Statement<{ version: number }> {
  return sql("SELECT version FROM tenant WHERE tenant_id = $1", tenantId);
}

export async function episodesOf(
  db: Database,
  tenantId: string,
  intentIds: readonly string[],
): Promise<EpisodeOfIntent[]> {
  const rows = await db
    .tenant(tenantId)
    .all<{ intent_id: string; episode_id: string }>(
      `SELECT intent_id, episode_id FROM episode WHERE tenant_id = $1 AND intent_id = ANY ($2) ORDER BY episode_id`,
      tenantId,
      intentIds,
    );
  return rows.map((row) => ({ intentId: row.intent_id, episodeId: row.episode_id }));
}

export const SHAPE_COLUMNS = `shape.shape_id, shape.family_id, shape.text, shape.space,
  vector_send(shape.vector) AS vector, shape.version`;

export interface ShapeRow {
  readonly shape_id: string;
  readonly family_id: string;
  readonly text: string;
  readonly space: string;
  readonly vector: Buffer;
  readonly version: number;
}

interface IntentRow {
  readonly intent_id: string;
  readonly text: string;
  readonly space: string;
  readonly vector: Buffer;
}

export function shapeOf(row: ShapeRow, space: string): StoredShape {
  return {
    shapeId: row.shape_id,
    familyId: row.family_id,
    text: row.text,
    vector: row.space === space ? vectorOf(row.vector) : null,
  };
}

function intentOf(row: IntentRow, space: string): StoredIntent {
  return {
    intentId: row.intent_id,
    text: row.text,
    vector: row.space === space ? vectorOf(row.vector) : null,
  };
}

export async function outsideSpace(
  db: Database,
  tenantId: string,
  space: string,
  limit: number,
): Promise<Pick<Sample, "intents" | "shapes">> {
  const intents = await db
    .tenant(tenantId)
    .all<{ intent_id: string; text: string }>(
      `SELECT intent_id, text FROM intent WHERE tenant_id = $1 AND space <> $2 ORDER BY intent_id COLLATE "C" LIMIT $3`,
      tenantId,
      space,
      limit,
    );
  const shapes = await db
    .tenant(tenantId)
    .all<ShapeRow>(
      `SELECT ${SHAPE_COLUMNS} FROM shape WHERE tenant_id = $1 AND space <> $2 ORDER BY shape_id COLLATE "C" LIMIT $3`,
      tenantId,
      space,
      limit,
    );
  return {
    intents: intents.map((row) => ({ intentId: row.intent_id, text: row.text, vector: null })),
    shapes: shapes.map((row) => shapeOf(row, space)),
  };
}

export async function placeInSpace(
  db: Database,
  tenantId: string,
  space: string,
  { intents, shapes }: NewVectors,
): Promise<void> {
  await db
    .tenant(tenantId)
    .batch([
      moveVersion(tenantId),
      ...[...intents].map(([intentId, vector]) =>
        sql(
          "UPDATE intent SET space = $3, vector = $4 WHERE tenant_id = $1 AND intent_id = $2",
          tenantId,
          intentId,
          space,
          bytesOf(vector),
        ),
      ),
      ...[...shapes].map(([shapeId, vector]) =>
        sql(
          "UPDATE shape SET space = $3, vector = $4 WHERE tenant_id = $1 AND shape_id = $2",
          tenantId,
          shapeId,
          space,
          bytesOf(vector),
        ),
      ),
    ]);
}
