import type { Fence, Job, JobState } from "../domain/job.ts";

/**
 * The jobs: a queue and its records in one.
 *
 * Promises of every adapter:
 * - `enqueue` resolves only when the job would survive a power cut.
 * - A job is held by one worker at a time, for as long as its lease lasts. A worker that lost its lease holds an old
 *   fence; every call with an old fence changes nothing and answers false.
 * - Tenants take turns: however many jobs one tenant has waiting, another tenant's next job is claimed among the first.
 * - The payload is opaque here (it arrives encrypted) and is wiped when the job completes. A failed job keeps it, still
 *   encrypted, until it is retried, forgotten, or its record expires: an upload is never lost to an error of ours.
 */
export interface Queue {
  /** A job whose id is known already, as a job or as an episode, is answered as replayed. */
  enqueue(tenantId: string, job: NewJob): Promise<Enqueued>;

  /** null for a job that does not exist or is another tenant's: the two cannot be told apart. */
  find(tenantId: string, jobId: string): Promise<Job | null>;

  /** Newest first. */
  list(tenantId: string, filter: { readonly state?: JobState; readonly limit: number }): Promise<Job[]>;

  /** Puts a failed job back in the queue with its counters reset; false where there is no such failed job. */
  retry(tenantId: string, jobId: string, now: number): Promise<boolean>;

  /** Uploads whose text is still only in the queue (waiting, running or failed), in chunks; for forgetting. */
  pending(tenantId: string): AsyncIterable<readonly PendingUpload[]>;

  /** Crosses tenants, as a worker must: the next jobs, one a tenant in turn, leased to this worker. */
  claimAcrossTenants(claim: Claim): Promise<ClaimedJob[]>;

  /**
   * Crosses tenants: takes back jobs whose lease ran out, or whose worker `isGone`, counting a crash for each.
   * A job that crashed too often fails with `giveUp`'s sealed error. Answers how many were taken back.
   */
  reclaimAcrossTenants(reclaim: Reclaim): Promise<number>;

  /** Extends the lease. */
  heartbeat(tenantId: string, fence: Fence, leaseUntil: number): Promise<boolean>;

  /** The attempt failed; the job runs again at `runAfter`. */
  postpone(tenantId: string, fence: Fence, runAfter: number): Promise<boolean>;

  /** The attempt failed and was the last. */
  fail(
    tenantId: string,
    fence: Fence,
    end: { readonly at: number; readonly sealedError: string },
  ): Promise<boolean>;

  /** Crosses tenants: how many jobs wait, run and failed; for metrics and readiness. */
  countAcrossTenants(): Promise<Record<JobState, number>>;
}

export interface NewJob {
  readonly jobId: string;
  readonly payload: Uint8Array;
  readonly createdAt: number;
  readonly idempotency?: Idempotency;
}

/** Makes a retried upload harmless. Both are keyed hashes, never the caller's text. */
export interface Idempotency {
  readonly keyHash: string;
  readonly bodyHash: string;
}

export type Enqueued =
  | { readonly kind: "accepted"; readonly jobId: string }
  /** The same was accepted before, as this job. */
  | { readonly kind: "replayed"; readonly jobId: string }
  /** The same key came with another body. */
  | { readonly kind: "conflict" };

export interface PendingUpload {
  readonly jobId: string;
  readonly payload: Uint8Array;
}

export interface Claim {
  /** Names the worker and its process, so that a restart can tell whose leases are void. */
  readonly worker: string;
  readonly now: number;
  readonly leaseUntil: number;
  readonly limit: number;
}

export interface ClaimedJob {
  readonly tenantId: string;
  readonly fence: Fence;
  readonly payload: Uint8Array;
  readonly createdAt: number;
  /** Errors so far. */
  readonly failures: number;
  /** How often a worker died while it held this job. */
  readonly crashes: number;
}

export interface Reclaim {
  readonly now: number;
  readonly isGone: (worker: string) => boolean;
  readonly giveUp: (jobId: string) => string;
}
