/** Tenants that have work, in the order in which they take turns. */
import type { Database } from "./driver.ts";

/** A tenant that had no work joins the turns at the front: it has waited longest. */
export function openLane(db: Database, tenantId: string): void {
  db.run(
    "INSERT OR IGNORE INTO lane (tenant_id, served) VALUES (?, (SELECT coalesce(min(served), 0) FROM lane))",
    tenantId,
  );
}

/** A tenant leaves the turns when nothing of it waits or runs; what runs may come back to the queue. */
export function closeLane(db: Database, tenantId: string): void {
  db.run(
    `DELETE FROM lane WHERE tenant_id = ?1
     AND NOT EXISTS (SELECT 1 FROM job WHERE tenant_id = ?1 AND state IN ('queued', 'running'))`,
    tenantId,
  );
}
