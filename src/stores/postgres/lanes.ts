/**
 * The order in which tenants take turns. A tenant that has work has a lane; whoever claims jobs walks the lanes by when
 * they were last served.
 *
 * Enqueuing must not wait for other enqueuing, so it leaves a lane that is there alone, without even a lock on the row.
 * Closing a lane must not miss a job that is just coming. Hence a lock beside the row: shared by all who bring work, had
 * alone by whoever closes.
 */
import { type Database, sql, type Statement } from "./driver.ts";

const LANE_LOCK = 7794;

/** The lane that is opened after this in the same transaction will not be closed before its work is seen. */
export function shareLane(tenantId: string): Statement<unknown> {
  return sql(`SELECT pg_advisory_xact_lock_shared(${LANE_LOCK}, hashtext($1))`, tenantId);
}

/** A tenant that had no work joins the turns at the front: it has waited longest. */
export function openLane(tenantId: string): Statement<unknown> {
  return sql(
    "INSERT INTO lane (tenant_id, served) VALUES ($1, 0) ON CONFLICT (tenant_id) DO NOTHING",
    tenantId,
  );
}

export async function openLanes(db: Database, tenantIds: readonly string[]): Promise<void> {
  await db.across.run(
    `INSERT INTO lane (tenant_id, served) SELECT DISTINCT tenant_id, 0 FROM unnest($1::text[]) AS tenant_id
     ORDER BY tenant_id ON CONFLICT (tenant_id) DO NOTHING`,
    tenantIds,
  );
}

const HAS_WORK =
  "EXISTS (SELECT 1 FROM job j WHERE j.tenant_id = lane.tenant_id AND j.state IN ('queued', 'running'))";
const MOST_CLOSED = 1_000;

/** A tenant leaves the turns when nothing of it waits or runs; what runs may come back to the queue. */
export async function closeLanes(db: Database): Promise<void> {
  await db.across.transaction(async (transaction) => {
    const [{ rows: idle }] = await transaction.batch([
      sql<{ tenant_id: string }>(
        `WITH idle AS MATERIALIZED (SELECT tenant_id FROM lane WHERE NOT ${HAS_WORK} LIMIT ${MOST_CLOSED})
         SELECT tenant_id FROM idle WHERE pg_try_advisory_xact_lock(${LANE_LOCK}, hashtext(tenant_id))`,
      ),
    ]);
    if (idle.length === 0) return;
    // asked again, now that nobody can bring work unseen
    await transaction.last([
      sql(
        `DELETE FROM lane WHERE tenant_id = ANY ($1) AND NOT ${HAS_WORK}`,
        idle.map((row) => row.tenant_id),
      ),
    ]);
  });
}
