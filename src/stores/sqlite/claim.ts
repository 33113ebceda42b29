/** A worker's side of the queue: taking jobs, and taking back those of workers that died. Crosses tenants, as it must. */
import { MAX_CRASHES, NO_DELAY_MS } from "../../domain/job.ts";
import type { Claim, ClaimedJob } from "../../ports/queue.ts";
import type { Database } from "./driver.ts";
import { closeLane, openLane } from "./lanes.ts";

export function claim(db: Database, { worker, now, leaseUntil, limit }: Claim): ClaimedJob[] {
  const claimed: ClaimedJob[] = [];
  const lanes = db.get<{ n: number }>("SELECT count(*) AS n FROM lane")?.n ?? 0;
  // one job a turn, and whoever had a turn goes to the back: a long queue waits behind every short one
  for (let idle = 0; idle < lanes && claimed.length < limit;) {
    const lane = db.get<{ tenant_id: string }>(
      "SELECT tenant_id FROM lane ORDER BY served, tenant_id LIMIT 1",
    );
    if (lane === undefined) break;
    const tenantId = lane.tenant_id;
    const next = db.get<{ job_id: string }>(
      `SELECT job_id FROM job WHERE tenant_id = ? AND state = 'queued' AND (run_after <= ? OR run_after > ?)
       ORDER BY run_after, job_id LIMIT 1`,
      tenantId,
      now,
      now + NO_DELAY_MS,
    );
    db.run("UPDATE lane SET served = (SELECT max(served) + 1 FROM lane) WHERE tenant_id = ?", tenantId);
    if (next === undefined) {
      closeLane(db, tenantId);
      idle += 1;
    } else {
      claimed.push(take(db, tenantId, next.job_id, { worker, now, leaseUntil }));
      idle = 0;
    }
  }
  return claimed;
}

function take(
  db: Database,
  tenantId: string,
  jobId: string,
  { worker, now, leaseUntil }: Omit<Claim, "limit">,
): ClaimedJob {
  const row = db.get<{
    attempt: number;
    payload: Uint8Array | null;
    created_at: number;
    failures: number;
    crashes: number;
  }>(
    `UPDATE job SET state = 'running', attempt = attempt + 1, worker = ?, lease_until = ?, started_at = ?
     WHERE tenant_id = ? AND job_id = ? RETURNING attempt, payload, created_at, failures, crashes`,
    worker,
    leaseUntil,
    now,
    tenantId,
    jobId,
  );
  if (row === undefined) throw new Error(`job ${jobId} vanished inside a transaction`);
  return {
    tenantId,
    fence: { jobId, attempt: row.attempt },
    payload: row.payload ?? new Uint8Array(),
    createdAt: row.created_at,
    failures: row.failures,
    crashes: row.crashes,
  };
}

export interface ReclaimArguments {
  readonly now: number;
  /** Workers whose process is gone, whatever their leases say. */
  readonly gone: readonly string[];
  /** Sealed errors prepared for the jobs that crashed too often, by job id. */
  readonly sealed: Readonly<Record<string, string>>;
}

export function reclaim(db: Database, { now, gone, sealed }: ReclaimArguments): number {
  const lost = db.all<{ tenant_id: string; job_id: string; crashes: number }>(
    `SELECT tenant_id, job_id, crashes FROM job
     WHERE state = 'running' AND (lease_until < ? OR lease_until > ? OR worker IN (SELECT value FROM json_each(?)))`,
    now,
    now + NO_DELAY_MS,
    JSON.stringify(gone),
  );
  for (const { tenant_id: tenantId, job_id: jobId, crashes } of lost) {
    const sealedError = sealed[jobId];
    if (crashes + 1 >= MAX_CRASHES && sealedError !== undefined) {
      db.run(
        `UPDATE job SET state = 'failed', crashes = crashes + 1, attempt = attempt + 1, worker = NULL, lease_until = NULL,
         ended_at = ?, sealed_error = ? WHERE tenant_id = ? AND job_id = ?`,
        now,
        sealedError,
        tenantId,
        jobId,
      );
    } else {
      db.run(
        `UPDATE job SET state = 'queued', crashes = crashes + 1, attempt = attempt + 1, worker = NULL, lease_until = NULL,
         run_after = ? WHERE tenant_id = ? AND job_id = ?`,
        now,
        tenantId,
        jobId,
      );
      openLane(db, tenantId);
    }
  }
  return lost.length;
}

export function runningJobs(db: Database): { jobId: string; worker: string; leaseUntil: number }[] {
  return db
    .all<{ job_id: string; worker: string; lease_until: number }>(
      "SELECT job_id, worker, lease_until FROM job WHERE state = 'running'",
    )
    .map((row) => ({ jobId: row.job_id, worker: row.worker, leaseUntil: row.lease_until }));
}
