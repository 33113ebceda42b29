/**
 * The shapes nearest to a vector, and those that share the most telling words. Both engines choose alike: the best by
 * cosine, and the best by the sum of log(1 + shapes / (1 + shapes with the word)) over the shared words; among equals
 * the one that came first. They are answered in the order in which they came.
 */
import { cosine } from "../../domain/calibration.ts";
import type { ShapeSearch, StoredShape } from "../../ports/store.ts";
import { type Database, sql, sqlPlannedAnew, type Statement } from "./driver.ts";
import { SHAPE_COLUMNS, type ShapeRow, shapeOf } from "./intents.ts";
import { indexable } from "./texts.ts";
import { bytesOf, vectorOf } from "./vectors.ts";

/** pgvector sums in single precision; so many more are read, and ordered here in double precision. */
const SPARE = 8;

export async function searchShapes(
  db: Database,
  tenantId: string,
  search: ShapeSearch,
): Promise<StoredShape[]> {
  const { space, vector, limit } = search;
  const [, nearby, alike] = await db
    .tenant(tenantId)
    .batch([
      widen(limit + SPARE),
      selectNearest(tenantId, search, limit + SPARE),
      selectByWords(tenantId, search),
    ]);
  const nearest = nearby.rows
    .map((row) => ({ row, near: cosine(vector, vectorOf(row.vector)) }))
    .filter(({ near }) => near > 0)
    .sort((a, b) => b.near - a.near || a.row.version - b.row.version)
    .slice(0, limit)
    .map(({ row }) => row);
  const chosen = new Map([...nearest, ...alike.rows].map((row) => [row.version, row]));
  return [...chosen.values()].sort((a, b) => a.version - b.version).map((row) => shapeOf(row, space));
}

/** How far an index of the tenant's own is searched, where there is one: far enough for a recall of 0.98 and more. */
function widen(wanted: number): Statement<unknown> {
  return sql(
    "SELECT set_config('hnsw.ef_search', $1, true), set_config('hnsw.iterative_scan', 'strict_order', true)",
    String(Math.min(1_000, Math.max(200, 2 * wanted))),
  );
}

/**
 * Reads every vector of the tenant; or, where the tenant has an index of its own, that (vector-index.ts). The planner
 * uses it because each statement is planned with its values at hand, and because expression, order and condition are the
 * index's; so whoever came first among equals is found outside. Vectors have unit length: their product is their cosine.
 */
function selectNearest(tenantId: string, { space, vector }: ShapeSearch, limit: number): Statement<ShapeRow> {
  return sqlPlannedAnew(
    `SELECT ${SHAPE_COLUMNS} FROM (
       SELECT *, vector::vector(${vector.length}) <#> $3::vector AS far FROM shape
       WHERE tenant_id = $1 AND space = $2
       ORDER BY vector::vector(${vector.length}) <#> $3::vector FETCH FIRST ($4) ROWS WITH TIES) shape
     ORDER BY shape.far, shape.version LIMIT $4`,
    tenantId,
    space,
    bytesOf(vector),
    limit,
  );
}

/**
 * Shapes looked at for their words. The rarest words are followed first; a word that would lead past this adds to the
 * score of shapes found by rarer ones, and finds none itself.
 */
const MOST_CANDIDATES = 10_000;
/** Of those so many are scored by their common words too. */
const RESCORED = 8;

/**
 * Weights are whole numbers here, so that the order in which they are added changes nothing. Limits inside tell the
 * planner to look up one posting at a time.
 */
function selectByWords(tenantId: string, { words, limit }: ShapeSearch): Statement<ShapeRow> {
  return sql(
    `WITH asked AS MATERIALIZED (
       SELECT w.word, round(ln(1 + t.shapes::float8 / (1 + w.shapes)) * 1e11) AS weight,
         sum(w.shapes) OVER (ORDER BY w.shapes, w.word) - w.shapes < $3 AS followed
       FROM word w JOIN tenant t ON t.tenant_id = w.tenant_id
       WHERE w.tenant_id = $1 AND w.word = ANY ($2)
     ), found AS MATERIALIZED (
       SELECT p.version, sum(a.weight) AS score FROM asked a CROSS JOIN LATERAL (
         SELECT version FROM shape_word s WHERE s.tenant_id = $1 AND s.word = a.word ORDER BY version LIMIT $3) p
       WHERE a.followed GROUP BY p.version ORDER BY score DESC, p.version LIMIT $4 * ${RESCORED}
     ), scored AS MATERIALIZED (
       SELECT f.version, f.score + coalesce((
         SELECT sum(a.weight) FROM asked a CROSS JOIN LATERAL (
           SELECT 1 FROM shape_word s WHERE s.tenant_id = $1 AND s.word = a.word AND s.version = f.version LIMIT 1) s
         WHERE NOT a.followed), 0) AS score
       FROM found f ORDER BY score DESC, f.version LIMIT $4
     )
     SELECT ${SHAPE_COLUMNS} FROM scored
     JOIN shape ON shape.tenant_id = $1 AND shape.version = scored.version
     ORDER BY scored.score DESC, shape.version`,
    tenantId,
    [...new Set(words.map(indexable))],
    MOST_CANDIDATES,
    limit,
  );
}
