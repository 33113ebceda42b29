/** Intents and their shapes, with vectors. */
import { cosine } from "../../domain/calibration.ts";
import type {
  EpisodeOfIntent,
  Learned,
  Sample,
  NewVectors,
  ShapeSearch,
  StoredIntent,
  StoredShape,
} from "../../ports/store.ts";
import type { Database } from "./driver.ts";
import type { Candidates } from "./shape-index.ts";

export function add(db: Database, tenantId: string, { intent, shape, space, episode }: Learned): void {
  const moved = db.get<{ version: number }>(
    "UPDATE tenant SET version = version + 1 WHERE tenant_id = ? RETURNING version",
    tenantId,
  );
  if (moved === undefined) throw new Error("a job outlived its tenant");
  db.run(
    `INSERT INTO intent (tenant_id, intent_id, text, space, vector, episodes) VALUES (?, ?, ?, ?, ?, 1)
     ON CONFLICT DO UPDATE SET episodes = episodes + 1`,
    tenantId,
    intent.intentId,
    intent.text,
    space,
    bytesOf(intent.vector),
  );
  db.run(
    `INSERT INTO shape (tenant_id, shape_id, family_id, text, words, space, vector, episodes, version)
     VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)
     ON CONFLICT DO UPDATE SET episodes = episodes + 1`,
    tenantId,
    shape.shapeId,
    episode.familyId,
    shape.text,
    shape.words.join(" "),
    space,
    bytesOf(shape.vector),
    moved.version,
  );
}

/** Takes one episode away from an intent and a shape; the last one takes them along. */
export function release(
  db: Database,
  tenantId: string,
  { intentId, shapeId }: { intentId: string; shapeId: string },
): void {
  db.run(
    "UPDATE intent SET episodes = episodes - 1 WHERE tenant_id = ? AND intent_id = ?",
    tenantId,
    intentId,
  );
  db.run("DELETE FROM intent WHERE tenant_id = ? AND intent_id = ? AND episodes <= 0", tenantId, intentId);
  db.run("UPDATE shape SET episodes = episodes - 1 WHERE tenant_id = ? AND shape_id = ?", tenantId, shapeId);
  const gone = db.run(
    "DELETE FROM shape WHERE tenant_id = ? AND shape_id = ? AND episodes <= 0",
    tenantId,
    shapeId,
  );
  // whoever keeps shapes in memory must read them anew when one was taken away
  db.run(
    "UPDATE tenant SET version = version + 1, epoch = epoch + ? WHERE tenant_id = ?",
    gone > 0 ? 1 : 0,
    tenantId,
  );
}

export function findShape(
  db: Database,
  { tenantId, shapeId }: { tenantId: string; shapeId: string },
): StoredShape | null {
  const row = db.get<ShapeRow>(
    `SELECT ${SHAPE_COLUMNS} FROM shape WHERE tenant_id = ? AND shape_id = ?`,
    tenantId,
    shapeId,
  );
  return row === undefined ? null : shapeOf(row, row.space);
}

/**
 * Of the candidates, the best by exact cosine and all that were found by words. Here and below, CROSS JOIN holds SQLite
 * to asking for each wanted row by its key; with IN it may walk through the whole tenant.
 */
export function shapesNearest(
  db: Database,
  { tenantId, candidates, search }: { tenantId: string; candidates: Candidates; search: ShapeSearch },
): StoredShape[] {
  const rows = db.all<ShapeRow>(
    `SELECT ${SHAPE_COLUMNS} FROM json_each(?) AS wanted
     CROSS JOIN shape ON tenant_id = ? AND shape_id = wanted.value`,
    JSON.stringify([...new Set([...candidates.near, ...candidates.byWords])]),
    tenantId,
  );
  const shapes = rows.sort((a, b) => a.version - b.version).map((row) => shapeOf(row, search.space));
  const nearest = shapes
    .map(({ shapeId, vector }) => ({ shapeId, near: vector === null ? 0 : cosine(search.vector, vector) }))
    .filter(({ near }) => near > 0)
    .sort((a, b) => b.near - a.near)
    .slice(0, search.limit);
  const chosen = new Set([...nearest.map(({ shapeId }) => shapeId), ...candidates.byWords]);
  return shapes.filter(({ shapeId }) => chosen.has(shapeId));
}

/** One chunk of shapes in the order of their versions, after the given one. */
export function shapesAfter(db: Database, tenantId: string, version: number, limit: number): ShapeRow[] {
  return db.all<ShapeRow>(
    `SELECT ${SHAPE_COLUMNS} FROM shape WHERE tenant_id = ? AND version > ? ORDER BY version LIMIT ?`,
    tenantId,
    version,
    limit,
  );
}

/** One chunk of intents in the order of their ids, after the given one. */
export function intentsAfter(
  db: Database,
  { tenantId, space, after, limit }: { tenantId: string; space: string; after: string; limit: number },
): StoredIntent[] {
  const rows = db.all<IntentRow>(
    `SELECT intent_id, text, space, vector FROM intent
     WHERE tenant_id = ? AND intent_id > ? ORDER BY intent_id LIMIT ?`,
    tenantId,
    after,
    limit,
  );
  return rows.map((row) => ({
    intentId: row.intent_id,
    text: row.text,
    vector: row.space === space ? vectorOf(row.vector) : null,
  }));
}

export function sample(
  db: Database,
  { tenantId, space, limit }: { tenantId: string; space: string; limit: number },
): Sample {
  const shapes = db.all<ShapeRow>(
    `SELECT ${SHAPE_COLUMNS} FROM shape WHERE tenant_id = ? ORDER BY shape_id LIMIT ?`,
    tenantId,
    limit,
  );
  return {
    version: versionOf(db, tenantId).version,
    intents: intentsAfter(db, { tenantId, space, after: "", limit }),
    shapes: shapes.map((row) => shapeOf(row, space)),
  };
}

export function outsideSpace(
  db: Database,
  { tenantId, space, limit }: { tenantId: string; space: string; limit: number },
): Pick<Sample, "intents" | "shapes"> {
  const intents = db.all<IntentRow>(
    `SELECT intent_id, text, space, vector FROM intent
     WHERE tenant_id = ? AND space <> ? ORDER BY intent_id LIMIT ?`,
    tenantId,
    space,
    limit,
  );
  const shapes = db.all<ShapeRow>(
    `SELECT ${SHAPE_COLUMNS} FROM shape WHERE tenant_id = ? AND space <> ? ORDER BY shape_id LIMIT ?`,
    tenantId,
    space,
    limit,
  );
  return {
    intents: intents.map((row) => ({ intentId: row.intent_id, text: row.text, vector: null })),
    shapes: shapes.map((row) => shapeOf(row, space)),
  };
}

export function placeInSpace(
  db: Database,
  { tenantId, space, vectors }: { tenantId: string; space: string; vectors: NewVectors },
): void {
  for (const [intentId, vector] of vectors.intents) {
    db.run(
      "UPDATE intent SET space = ?, vector = ? WHERE tenant_id = ? AND intent_id = ?",
      space,
      bytesOf(vector),
      tenantId,
      intentId,
    );
  }
  for (const [shapeId, vector] of vectors.shapes) {
    db.run(
      "UPDATE shape SET space = ?, vector = ? WHERE tenant_id = ? AND shape_id = ?",
      space,
      bytesOf(vector),
      tenantId,
      shapeId,
    );
  }
  // what is kept in memory is of the old space
  db.run("UPDATE tenant SET version = version + 1, epoch = epoch + 1 WHERE tenant_id = ?", tenantId);
}

export function versionOf(db: Database, tenantId: string): { version: number; epoch: number } {
  return (
    db.get<{ version: number; epoch: number }>(
      "SELECT version, epoch FROM tenant WHERE tenant_id = ?",
      tenantId,
    ) ?? { version: 0, epoch: 0 }
  );
}

export function episodesOf(
  db: Database,
  { tenantId, intentIds }: { tenantId: string; intentIds: readonly string[] },
): EpisodeOfIntent[] {
  return db
    .all<{ intent_id: string; episode_id: string }>(
      `SELECT intent_id, episode_id FROM json_each(?) AS wanted
       CROSS JOIN episode ON tenant_id = ? AND intent_id = wanted.value`,
      JSON.stringify(intentIds),
      tenantId,
    )
    .map((row) => ({ intentId: row.intent_id, episodeId: row.episode_id }))
    .sort((a, b) => (a.episodeId < b.episodeId ? -1 : 1));
}

const SHAPE_COLUMNS = "shape_id, family_id, text, words, space, vector, version";

export interface ShapeRow {
  readonly shape_id: string;
  readonly family_id: string;
  readonly text: string;
  readonly words: string;
  readonly space: string;
  readonly vector: Uint8Array;
  readonly version: number;
}

interface IntentRow {
  readonly intent_id: string;
  readonly text: string;
  readonly space: string;
  readonly vector: Uint8Array;
}

export function shapeOf(row: ShapeRow, space: string): StoredShape {
  return {
    shapeId: row.shape_id,
    familyId: row.family_id,
    text: row.text,
    vector: row.space === space ? vectorOf(row.vector) : null,
  };
}

function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Blobs arrive unaligned, so the floats are copied out. */
function vectorOf(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer);
}
