/**
 * Indexes for the few tenants that are too large to be read whole at every search. One index over all tenants would find
 * little for a small one among large ones, so each large tenant has its own: a partial index over its rows of one space.
 */
import { escapeIdentifier, escapeLiteral, type Client } from "pg";
import { contentId } from "../../domain/ids.ts";
import type { Database } from "./driver.ts";

export interface Maintained {
  readonly built: number;
  readonly dropped: number;
}

interface Candidate {
  readonly tenant_id: string;
  readonly space: string;
  readonly dimensions: number;
  readonly shapes: number;
}

/** pgvector's index holds no more. */
const MOST_DIMENSIONS = 2_000;

/**
 * Builds and drops indexes as tenants grow and shrink; one process at a time, the others leave it to it. Searches and
 * writes go on meanwhile. An index stays until its tenant has shrunk to half, so that none comes and goes.
 */
export async function maintainVectorIndexes(db: Database, threshold: number): Promise<Maintained> {
  return db.lendAlone(async (client) => {
    const { rows } = await client.query<{ alone: boolean }>("SELECT pg_try_advisory_lock(7793, 2) AS alone");
    if (rows[0]?.alone !== true) return { built: 0, dropped: 0 };
    const large = await findLarge(db, Math.ceil(threshold / 2));
    const existing = await findIndexes(client);
    const kept = new Map(large.map((candidate) => [nameOf(candidate), candidate]));
    const dropped = existing.filter(({ name, valid }) => !valid || !kept.has(name));
    for (const { name } of dropped)
      await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${escapeIdentifier(name)}`);
    const standing = new Set(existing.filter(({ valid }) => valid).map(({ name }) => name));
    const missing = large.filter((one) => one.shapes >= threshold && !standing.has(nameOf(one)));
    for (const candidate of missing) await build(client, candidate);
    if (missing.length > 0) await client.query("ANALYZE shape");
    return { built: missing.length, dropped: dropped.length };
  });
}

async function findLarge(db: Database, atLeast: number): Promise<Candidate[]> {
  const candidates = await db.across.all<Candidate>(
    `SELECT t.tenant_id, s.space, s.shapes, (
       SELECT vector_dims(o.vector) FROM shape o WHERE o.tenant_id = t.tenant_id AND o.version = s.newest) AS dimensions
     FROM tenant t CROSS JOIN LATERAL (
       SELECT space, count(*) AS shapes, max(version) AS newest FROM shape
       WHERE shape.tenant_id = t.tenant_id GROUP BY space) s
     WHERE t.shapes >= $1 AND s.shapes >= $1`,
    atLeast,
  );
  return candidates.filter(({ dimensions }) => dimensions <= MOST_DIMENSIONS);
}

async function findIndexes(client: Client): Promise<{ name: string; valid: boolean }[]> {
  const { rows } = await client.query<{ name: string; valid: boolean }>(
    `SELECT c.relname AS name, i.indisvalid AS valid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = 'shape'::regclass AND starts_with(c.relname, '${PREFIX}')`,
  );
  return rows;
}

const PREFIX = "shape_near_";

function nameOf({ tenant_id: tenantId, space, dimensions }: Candidate): string {
  return `${PREFIX}${contentId(tenantId, space, String(dimensions))}`;
}

/** Expression and condition are those of the search, else the planner would not use it. */
async function build(client: Client, candidate: Candidate): Promise<void> {
  const { tenant_id: tenantId, space, dimensions } = candidate;
  await client.query("SET maintenance_work_mem = '256MB'");
  await client.query(
    `CREATE INDEX CONCURRENTLY ${escapeIdentifier(nameOf(candidate))} ON shape
     USING hnsw ((vector::vector(${dimensions})) vector_ip_ops) WITH (m = 16, ef_construction = 128)
     WHERE tenant_id = ${escapeLiteral(tenantId)} AND space = ${escapeLiteral(space)}`,
  );
}
