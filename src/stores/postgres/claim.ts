/** How workers get jobs, and how jobs are taken back from workers that are gone. Both cross tenants, as they must. */
import { isOver, MAX_CRASHES, NO_DELAY_MS } from "../../domain/job.ts";
import type { Claim, ClaimedJob, Reclaim } from "../../ports/queue.ts";
import type { Database } from "./driver.ts";
import { closeLanes, openLanes } from "./lanes.ts";

export async function claim(db: Database, claim: Claim): Promise<ClaimedJob[]> {
  const claimed: ClaimedJob[] = [];
  while (claimed.length < claim.limit) {
    const turn = await claimTurn(db, { ...claim, limit: claim.limit - claimed.length });
    if (turn.length === 0) break;
    claimed.push(...turn);
  }
  return claimed;
}

/** The tenant's jobs in line, as far as the condition goes. `l` is its lane. */
const inLine = (condition: string, limit: string) =>
  `SELECT j.tenant_id, j.job_id FROM job j WHERE j.tenant_id = l.tenant_id AND j.state = 'queued' AND ${condition}
   ORDER BY j.run_after, j.job_id LIMIT ${limit}`;
const IS_DUE = "j.run_after <= $2";
/** A time too far ahead was written before the clock was set back. */
const IS_STRANDED = "j.run_after > $3";

/**
 * One turn: the tenants that were served longest ago get as many jobs each as there is room for all of them, and go to
 * the back. Workers do not wait for each other: a job or a place in the order that another is just taking is passed by.
 * Rows are locked only as they are taken, so a limit leaves the others to others. Each way to be due is asked for by
 * itself, so that the index answers it without reading a long queue.
 */
async function claimTurn(db: Database, { worker, now, leaseUntil, limit }: Claim): Promise<ClaimedJob[]> {
  const rows = await db.across.all<ClaimRow>(
    `WITH ready AS MATERIALIZED (
       SELECT l.tenant_id FROM lane l CROSS JOIN LATERAL (
         (${inLine(IS_DUE, "1")}) UNION ALL (${inLine(IS_STRANDED, "1")}) LIMIT 1) due
       ORDER BY l.served, l.tenant_id LIMIT $1 * 4 + 16
     ), share AS MATERIALIZED (
       SELECT greatest(1, $1 / greatest(1, count(*))) AS jobs FROM ready
     ), picked AS MATERIALIZED (
       SELECT next.tenant_id, next.job_id FROM ready l CROSS JOIN LATERAL (
         SELECT * FROM (${inLine(IS_DUE, "(SELECT jobs FROM share) FOR UPDATE SKIP LOCKED")}) due
         UNION ALL
         SELECT * FROM (${inLine(IS_STRANDED, "(SELECT jobs FROM share) FOR UPDATE SKIP LOCKED")}) stranded
         LIMIT (SELECT jobs FROM share)) next
       LIMIT $1
     ), moved AS (
       UPDATE lane SET served = (extract(epoch FROM clock_timestamp()) * 1e6)::bigint
       WHERE tenant_id IN (
         SELECT tenant_id FROM lane WHERE tenant_id IN (SELECT tenant_id FROM picked) FOR NO KEY UPDATE SKIP LOCKED)
     )
     UPDATE job SET state = 'running', attempt = job.attempt + 1, worker = $4, lease_until = $5, started_at = $2
     FROM picked WHERE job.tenant_id = picked.tenant_id AND job.job_id = picked.job_id
     RETURNING job.tenant_id, job.job_id, job.attempt, job.payload, job.created_at, job.failures, job.crashes, job.run_after`,
    limit,
    now,
    now + NO_DELAY_MS,
    worker,
    leaseUntil,
  );
  return rows
    .sort((a, b) => a.run_after - b.run_after || (a.job_id < b.job_id ? -1 : 1))
    .map((row) => ({
      tenantId: row.tenant_id,
      fence: { jobId: row.job_id, attempt: row.attempt },
      payload: row.payload ?? new Uint8Array(),
      createdAt: row.created_at,
      failures: row.failures,
      crashes: row.crashes,
    }));
}

interface ClaimRow {
  readonly tenant_id: string;
  readonly job_id: string;
  readonly attempt: number;
  readonly payload: Buffer | null;
  readonly created_at: number;
  readonly failures: number;
  readonly crashes: number;
  readonly run_after: number;
}

export async function reclaim(db: Database, { now, isGone, giveUp }: Reclaim): Promise<number> {
  await closeLanes(db);
  const running = await db.across.all<RunningRow>(
    "SELECT tenant_id, job_id, attempt, crashes, worker, lease_until FROM job WHERE state = 'running'",
  );
  const lost = running.filter(({ worker, lease_until: until }) => isOver(until, now) || isGone(worker));
  if (lost.length === 0) return 0;
  const taken = await db.across.all<{ tenant_id: string }>(
    // a worker that has extended its lease meanwhile, or has ended, keeps what it has
    `WITH lost AS MATERIALIZED (
       SELECT j.tenant_id, j.job_id, d.sealed FROM job j
       JOIN unnest($1::text[], $2::text[], $3::int[], $4::bigint[], $5::text[])
         AS d (tenant_id, job_id, attempt, lease_until, sealed) ON j.tenant_id = d.tenant_id AND j.job_id = d.job_id
         AND j.attempt = d.attempt AND j.lease_until = d.lease_until
       WHERE j.state = 'running' FOR UPDATE OF j SKIP LOCKED
     )
     UPDATE job SET crashes = crashes + 1, attempt = attempt + 1, worker = NULL, lease_until = NULL,
       state = CASE WHEN lost.sealed IS NULL THEN 'queued' ELSE 'failed' END,
       run_after = CASE WHEN lost.sealed IS NULL THEN $6 ELSE run_after END,
       ended_at = CASE WHEN lost.sealed IS NULL THEN NULL ELSE $6 END, sealed_error = lost.sealed
     FROM lost WHERE job.tenant_id = lost.tenant_id AND job.job_id = lost.job_id RETURNING job.tenant_id`,
    lost.map((row) => row.tenant_id),
    lost.map((row) => row.job_id),
    lost.map((row) => row.attempt),
    lost.map((row) => row.lease_until),
    lost.map((row) => (row.crashes + 1 >= MAX_CRASHES ? giveUp(row.job_id) : null)),
    now,
  );
  await openLanes(
    db,
    taken.map((row) => row.tenant_id),
  );
  return taken.length;
}

interface RunningRow {
  readonly tenant_id: string;
  readonly job_id: string;
  readonly attempt: number;
  readonly crashes: number;
  readonly worker: string;
  readonly lease_until: number;
}
