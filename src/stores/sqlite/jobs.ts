/** The job table: queue and status in one. Reads and writes as plain functions over a connection. */
import type { Fence, Job, JobState } from "../../domain/job.ts";
import type { Enqueued, NewJob, PendingUpload } from "../../ports/queue.ts";
import type { Database } from "./driver.ts";
import { openLane } from "./lanes.ts";

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
