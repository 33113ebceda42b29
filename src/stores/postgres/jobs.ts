/** The job table: queue and status in one. How jobs are handed out is in claim.ts. */
import type { Fence, Job, JobState } from "../../domain/job.ts";
import type { Enqueued, Idempotency, NewJob, PendingUpload } from "../../ports/queue.ts";
import { type Database, sql, type Statement } from "./driver.ts";
import { openLane, shareLane } from "./lanes.ts";

/** One round trip, whatever there is to find out: the statements are conditions for each other. */
export async function enqueue(db: Database, tenantId: string, job: NewJob): Promise<Enqueued> {
  const { jobId, createdAt, payload, idempotency } = job;
  if (idempotency !== undefined) return enqueueOnce(db, tenantId, { ...job, idempotency });
  const [, { count: added }] = await db.tenant(tenantId).batch([
    shareLane(tenantId),
    sql(
      `INSERT INTO job (tenant_id, job_id, state, created_at, run_after, payload)
       SELECT $1, $2, 'queued', $3, $3, $4 WHERE ${IS_NEW} ON CONFLICT (tenant_id, job_id) DO NOTHING`,
      tenantId,
      jobId,
      createdAt,
      payload,
    ),
    openLane(tenantId),
  ]);
  return { kind: added > 0 ? "accepted" : "replayed", jobId };
}

/** The key is taken where the job is not known, the job where the key is its own. A key just being taken is waited for. */
async function enqueueOnce(
  db: Database,
  tenantId: string,
  {
    jobId,
    createdAt,
    payload,
    idempotency: { keyHash, bodyHash },
  }: NewJob & { readonly idempotency: Idempotency },
): Promise<Enqueued> {
  const [, , { count: added }, , { rows: known }] = await db.tenant(tenantId).batch([
    shareLane(tenantId),
    sql(
      `INSERT INTO idempotency (tenant_id, key_hash, body_hash, job_id, created_at)
       SELECT $1, $3, $4, $2, $5 WHERE ${IS_NEW} ON CONFLICT (tenant_id, key_hash) DO NOTHING`,
      tenantId,
      jobId,
      keyHash,
      bodyHash,
      createdAt,
    ),
    sql(
      `INSERT INTO job (tenant_id, job_id, state, created_at, run_after, payload)
       SELECT $1, $2, 'queued', $3, $3, $4 WHERE ${IS_NEW}
         AND EXISTS (SELECT 1 FROM idempotency WHERE tenant_id = $1 AND key_hash = $5 AND job_id = $2)
       ON CONFLICT (tenant_id, job_id) DO NOTHING`,
      tenantId,
      jobId,
      createdAt,
      payload,
      keyHash,
    ),
    openLane(tenantId),
    sql<{ body_hash: string; job_id: string }>(
      "SELECT body_hash, job_id FROM idempotency WHERE tenant_id = $1 AND key_hash = $2",
      tenantId,
      keyHash,
    ),
  ]);
  const [first] = known;
  if (added > 0) return { kind: "accepted", jobId };
  if (first === undefined || first.job_id === jobId) return { kind: "replayed", jobId };
  return first.body_hash === bodyHash ? { kind: "replayed", jobId: first.job_id } : { kind: "conflict" };
}

/** Known neither as a job nor, when the job's record has served its time, as an episode: $1 is the tenant, $2 the id. */
const IS_NEW = `NOT EXISTS (SELECT 1 FROM job WHERE tenant_id = $1 AND job_id = $2)
  AND NOT EXISTS (SELECT 1 FROM episode WHERE tenant_id = $1 AND episode_id = $2)`;

export async function find(db: Database, tenantId: string, jobId: string): Promise<Job | null> {
  const row = await db
    .tenant(tenantId)
    .get<JobRow>(`SELECT ${JOB_COLUMNS} FROM job WHERE tenant_id = $1 AND job_id = $2`, tenantId, jobId);
  return row === undefined ? null : jobOf(row);
}

export async function list(
  db: Database,
  tenantId: string,
  state: JobState | null,
  limit: number,
): Promise<Job[]> {
  const rows = await db.tenant(tenantId).all<JobRow>(
    `SELECT ${JOB_COLUMNS} FROM job WHERE tenant_id = $1 AND ($2::text IS NULL OR state = $2)
     ORDER BY job_id DESC LIMIT $3`,
    tenantId,
    state,
    limit,
  );
  return rows.map(jobOf);
}

export async function retry(db: Database, tenantId: string, jobId: string, now: number): Promise<boolean> {
  const [, changed] = await db.tenant(tenantId).batch([
    shareLane(tenantId),
    sql(
      `UPDATE job SET state = 'queued', run_after = $3, failures = 0, crashes = 0, ended_at = NULL, sealed_error = NULL
       WHERE tenant_id = $1 AND job_id = $2 AND state = 'failed' AND payload IS NOT NULL`,
      tenantId,
      jobId,
      now,
    ),
    openLane(tenantId),
  ]);
  return changed.count > 0;
}

/** One chunk of uploads whose text is only here, after the given id. */
export async function pendingAfter(
  db: Database,
  tenantId: string,
  after: string,
  limit: number,
): Promise<PendingUpload[]> {
  const rows = await db.tenant(tenantId).all<{ job_id: string; payload: Buffer }>(
    `SELECT job_id, payload FROM job
     WHERE tenant_id = $1 AND job_id > $2 AND payload IS NOT NULL ORDER BY job_id LIMIT $3`,
    tenantId,
    after,
    limit,
  );
  return rows.map((row) => ({ jobId: row.job_id, payload: row.payload }));
}

export async function heartbeat(
  db: Database,
  tenantId: string,
  fence: Fence,
  leaseUntil: number,
): Promise<boolean> {
  const changed = await db
    .tenant(tenantId)
    .run(`UPDATE job SET lease_until = $4 WHERE ${HELD}`, tenantId, fence.jobId, fence.attempt, leaseUntil);
  return changed > 0;
}

export async function postpone(
  db: Database,
  tenantId: string,
  fence: Fence,
  runAfter: number,
): Promise<boolean> {
  const [changed] = await db.tenant(tenantId).batch([
    sql(
      `UPDATE job SET state = 'queued', failures = failures + 1, run_after = $4, worker = NULL, lease_until = NULL
       WHERE ${HELD}`,
      tenantId,
      fence.jobId,
      fence.attempt,
      runAfter,
    ),
    openLane(tenantId),
  ]);
  return changed.count > 0;
}

export async function fail(
  db: Database,
  tenantId: string,
  fence: Fence,
  { at, sealedError }: { readonly at: number; readonly sealedError: string },
): Promise<boolean> {
  const changed = await db.tenant(tenantId).run(
    `UPDATE job SET state = 'failed', failures = failures + 1, ended_at = $4, sealed_error = $5, worker = NULL,
       lease_until = NULL WHERE ${HELD}`,
    tenantId,
    fence.jobId,
    fence.attempt,
    at,
    sealedError,
  );
  return changed > 0;
}

/** The job is still this attempt's: $1 to $3 are tenant, job and attempt. */
const HELD = "tenant_id = $1 AND job_id = $2 AND state = 'running' AND attempt = $3";

/** Finds the job where it is still this attempt's, and keeps it so until the transaction ends. */
export function hold(tenantId: string, { jobId, attempt }: Fence): Statement<unknown> {
  return sql(`SELECT 1 FROM job WHERE ${HELD} FOR UPDATE`, tenantId, jobId, attempt);
}

/** Ends a running job with its outcome and wipes the payload. */
export function complete(
  tenantId: string,
  { jobId, attempt }: Fence,
  { at, outcome }: { readonly at: number; readonly outcome: string },
): Statement<unknown> {
  return sql(
    `UPDATE job SET state = 'completed', ended_at = $4, outcome = $5, payload = NULL, worker = NULL, lease_until = NULL
     WHERE ${HELD}`,
    tenantId,
    jobId,
    attempt,
    at,
    outcome,
  );
}

/** Ends jobs whose uploads were deleted before they were learned; raising the attempt fences off whoever runs one. */
export function withdraw(
  tenantId: string,
  jobIds: readonly string[],
  { at, outcome }: { readonly at: number; readonly outcome: string },
): Statement<unknown> {
  return sql(
    `UPDATE job SET state = 'completed', ended_at = $3, outcome = $4, payload = NULL, sealed_error = NULL,
       attempt = attempt + 1, worker = NULL, lease_until = NULL
     WHERE tenant_id = $1 AND job_id = ANY ($2) AND payload IS NOT NULL`,
    tenantId,
    jobIds,
    at,
    outcome,
  );
}

/** Each number from an index of its own; what has ended and did not fail was completed. */
export async function count(db: Database): Promise<Record<JobState, number>> {
  const row = await db.across.get<{ queued: number; running: number; failed: number; ended: number }>(
    `SELECT (SELECT count(*) FROM job WHERE state = 'queued') AS queued,
       (SELECT count(*) FROM job WHERE state = 'running') AS running,
       (SELECT count(*) FROM job WHERE state = 'failed') AS failed,
       (SELECT count(*) FROM job WHERE ended_at IS NOT NULL) AS ended`,
  );
  const { queued = 0, running = 0, failed = 0, ended = 0 } = row ?? {};
  return { queued, running, failed, completed: ended - failed };
}

/** Removes at most so many records whose time has come; answers how many. */
export async function expire(db: Database, endedBefore: number, most: number): Promise<number> {
  return db.across.run(
    `DELETE FROM job WHERE (tenant_id, job_id) IN (
       SELECT tenant_id, job_id FROM job WHERE ended_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    endedBefore,
    most,
  );
}

export async function expireIdempotency(db: Database, madeBefore: number, most: number): Promise<number> {
  return db.across.run(
    `DELETE FROM idempotency WHERE (tenant_id, key_hash) IN (
       SELECT tenant_id, key_hash FROM idempotency WHERE created_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    madeBefore,
    most,
  );
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
