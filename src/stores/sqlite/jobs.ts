/** The job table: queue and status in one. Reads and writes as plain functions over a connection. */
import { MAX_CRASHES, NO_DELAY_MS, type Fence, type Job, type JobState } from "../../domain/job.ts";
import type { Claim, ClaimedJob, Enqueued, NewJob, PendingUpload } from "../../ports/queue.ts";
import type { Database } from "./driver.ts";

export function enqueue(db: Database, { tenantId, job }: { tenantId: string; job: NewJob }): Enqueued {
  if (isKnown(db, tenantId, job.jobId)) return { kind: "replayed", jobId: job.jobId };
  if (job.idempotency !== undefined) {
    const known = db.get<{ body_hash: string; job_id: string }>(
      "SELECT body_hash, job_id FROM idempotency WHERE tenant_id = ? AND key_hash = ?",
      tenantId,
      job.idempotency.keyHash,
    );
    if (known !== undefined) {
      return known.body_hash === job.idempotency.bodyHash
        ? { kind: "replayed", jobId: known.job_id }
        : { kind: "conflict" };
    }
    db.run(
      "INSERT INTO idempotency (tenant_id, key_hash, body_hash, job_id, created_at) VALUES (?, ?, ?, ?, ?)",
      tenantId,
      job.idempotency.keyHash,
      job.idempotency.bodyHash,
      job.jobId,
      job.createdAt,
    );
  }
  db.run(
    "INSERT INTO job (tenant_id, job_id, state, created_at, run_after, payload) VALUES (?, ?, 'queued', ?, ?, ?)",
    tenantId,
    job.jobId,
    job.createdAt,
    job.createdAt,
    job.payload,
  );
  openLane(db, tenantId);
  return { kind: "accepted", jobId: job.jobId };
}

function isKnown(db: Database, tenantId: string, jobId: string): boolean {
  return (
    db.get(
      `SELECT 1 FROM job WHERE tenant_id = ?1 AND job_id = ?2
       UNION ALL SELECT 1 FROM episode WHERE tenant_id = ?1 AND episode_id = ?2`,
      tenantId,
      jobId,
    ) !== undefined
  );
}

/** A tenant that had no work joins the turns at the front: it has waited longest. */
function openLane(db: Database, tenantId: string): void {
  db.run(
    "INSERT OR IGNORE INTO lane (tenant_id, served) VALUES (?, (SELECT coalesce(min(served), 0) FROM lane))",
    tenantId,
  );
}

export function find(db: Database, { tenantId, jobId }: { tenantId: string; jobId: string }): Job | null {
  const row = db.get<JobRow>(
    `SELECT ${JOB_COLUMNS} FROM job WHERE tenant_id = ? AND job_id = ?`,
    tenantId,
    jobId,
  );
  return row === undefined ? null : jobOf(row);
}

export function list(
  db: Database,
  { tenantId, state, limit }: { tenantId: string; state: JobState | null; limit: number },
): Job[] {
  return db
    .all<JobRow>(
      `SELECT ${JOB_COLUMNS} FROM job WHERE tenant_id = ?1 AND (?2 IS NULL OR state = ?2)
       ORDER BY job_id DESC LIMIT ?3`,
      tenantId,
      state,
      limit,
    )
    .map(jobOf);
}

export function retry(
  db: Database,
  { tenantId, jobId, now }: { tenantId: string; jobId: string; now: number },
): boolean {
  const changed = db.run(
    `UPDATE job SET state = 'queued', run_after = ?, failures = 0, crashes = 0, ended_at = NULL, sealed_error = NULL
     WHERE tenant_id = ? AND job_id = ? AND state = 'failed' AND payload IS NOT NULL`,
    now,
    tenantId,
    jobId,
  );
  if (changed > 0) openLane(db, tenantId);
  return changed > 0;
}

/** One chunk of uploads whose text is only here, after the given id. */
export function pendingAfter(db: Database, tenantId: string, after: string, limit: number): PendingUpload[] {
  return db
    .all<{ job_id: string; payload: Uint8Array }>(
      `SELECT job_id, payload FROM job
       WHERE tenant_id = ? AND job_id > ? AND payload IS NOT NULL ORDER BY job_id LIMIT ?`,
      tenantId,
      after,
      limit,
    )
    .map((row) => ({ jobId: row.job_id, payload: row.payload }));
}

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

/** A tenant leaves the turns when nothing of it waits or runs; what runs may come back to the queue. */
function closeLane(db: Database, tenantId: string): void {
  db.run(
    `DELETE FROM lane WHERE tenant_id = ?1
     AND NOT EXISTS (SELECT 1 FROM job WHERE tenant_id = ?1 AND state IN ('queued', 'running'))`,
    tenantId,
  );
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

interface Fenced {
  readonly tenantId: string;
  readonly fence: Fence;
}

export function heartbeat(
  db: Database,
  { tenantId, fence, leaseUntil }: Fenced & { leaseUntil: number },
): boolean {
  return (
    db.run(
      "UPDATE job SET lease_until = ? WHERE tenant_id = ? AND job_id = ? AND state = 'running' AND attempt = ?",
      leaseUntil,
      tenantId,
      fence.jobId,
      fence.attempt,
    ) > 0
  );
}

export function postpone(
  db: Database,
  { tenantId, fence, runAfter }: Fenced & { runAfter: number },
): boolean {
  const changed = db.run(
    `UPDATE job SET state = 'queued', failures = failures + 1, run_after = ?, worker = NULL, lease_until = NULL
     WHERE tenant_id = ? AND job_id = ? AND state = 'running' AND attempt = ?`,
    runAfter,
    tenantId,
    fence.jobId,
    fence.attempt,
  );
  if (changed > 0) openLane(db, tenantId);
  return changed > 0;
}

export function fail(
  db: Database,
  { tenantId, fence, at, sealedError }: Fenced & { at: number; sealedError: string },
): boolean {
  return (
    db.run(
      `UPDATE job SET state = 'failed', failures = failures + 1, ended_at = ?, sealed_error = ?, worker = NULL,
       lease_until = NULL WHERE tenant_id = ? AND job_id = ? AND state = 'running' AND attempt = ?`,
      at,
      sealedError,
      tenantId,
      fence.jobId,
      fence.attempt,
    ) > 0
  );
}

/** Ends a running job with its outcome and wipes the payload; false when the fence is old. */
export function complete(
  db: Database,
  { tenantId, fence, at, outcome }: Fenced & { at: number; outcome: string },
): boolean {
  return (
    db.run(
      `UPDATE job SET state = 'completed', ended_at = ?, outcome = ?, payload = NULL, worker = NULL, lease_until = NULL
       WHERE tenant_id = ? AND job_id = ? AND state = 'running' AND attempt = ?`,
      at,
      outcome,
      tenantId,
      fence.jobId,
      fence.attempt,
    ) > 0
  );
}

/** Ends a job whose upload was deleted before it was learned; raising the attempt fences off whoever runs it. */
export function withdraw(
  db: Database,
  { tenantId, jobId, at, outcome }: { tenantId: string; jobId: string; at: number; outcome: string },
): boolean {
  return (
    db.run(
      `UPDATE job SET state = 'completed', ended_at = ?, outcome = ?, payload = NULL, sealed_error = NULL,
       attempt = attempt + 1, worker = NULL, lease_until = NULL
       WHERE tenant_id = ? AND job_id = ? AND payload IS NOT NULL`,
      at,
      outcome,
      tenantId,
      jobId,
    ) > 0
  );
}

/** Each count walks over an index of just those jobs; of the many that are done, over that of their times. */
export function count(db: Database): Record<JobState, number> {
  const row = db.get<{ queued: number; running: number; failed: number; ended: number }>(
    `SELECT (SELECT count(*) FROM job WHERE state = 'queued') AS queued,
       (SELECT count(*) FROM job WHERE state = 'running') AS running,
       (SELECT count(*) FROM job WHERE state = 'failed') AS failed,
       (SELECT count(*) FROM job WHERE ended_at IS NOT NULL) AS ended`,
  );
  const { queued = 0, running = 0, failed = 0, ended = 0 } = row ?? {};
  return { queued, running, failed, completed: ended - failed };
}

const JOB_COLUMNS = "tenant_id, job_id, state, created_at, started_at, ended_at, sealed_error, outcome";

interface JobRow {
  readonly tenant_id: string;
  readonly job_id: string;
  readonly state: JobState;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly sealed_error: string | null;
  readonly outcome: string | null;
}

function jobOf(row: JobRow): Job {
  return {
    tenantId: row.tenant_id,
    jobId: row.job_id,
    state: row.state,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    sealedError: row.sealed_error,
    outcome: row.outcome === null ? null : (JSON.parse(row.outcome) as Job["outcome"]),
  };
}
