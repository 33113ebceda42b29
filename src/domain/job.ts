import type { InsightCounts } from "./insight.ts";

/**
 * The background work for one upload. `queued` and `running` are one to the outside: processing.
 *
 *   queued -> running -> completed
 *     ^          |-----> queued      (an error: tried again later, at most MAX_FAILURES times)
 *     |          |-----> failed      (too many errors, too many crashes, or a payload that cannot be read)
 *     '- retry --'
 */
export type JobState = "queued" | "running" | "completed" | "failed";

export interface Job {
  readonly tenantId: string;
  readonly jobId: string;
  readonly state: JobState;
  /** Milliseconds since 1970, as all times inside the service. */
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Sealed with the operator's key; only `whetstone open-error` reads it. */
  readonly sealedError: string | null;
  readonly outcome: JobOutcome | null;
}

/** What a completed job tells its caller. */
export interface JobOutcome {
  readonly insights: InsightCounts;
  /** Sentences for the caller, such as "deleted before it was processed". */
  readonly notes: readonly string[];
}

/**
 * Names one attempt at a job. A worker that lost its lease holds an old attempt number, and whatever it still
 * tries to write is refused.
 */
export interface Fence {
  readonly jobId: string;
  readonly attempt: number;
}

export const LEASE_MS = 30_000;
export const HEARTBEAT_MS = 10_000;
/** Errors after which a job is given up. */
export const MAX_FAILURES = 5;
/** Times a job may take its worker down with it. */
export const MAX_CRASHES = 3;

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 300_000;

/**
 * No lease and no retry reaches further ahead than this. A time beyond it was written before the clock was set back,
 * and waiting for it would hold the job up for as long as the clock jumped.
 */
export const NO_DELAY_MS = 2 * LONGEST_RETRY_MS;

/** Whether a moment that was once ahead has come, or never will because the clock was set back. */
export function isOver(moment: number, now: number): boolean {
  return moment < now || moment > now + NO_DELAY_MS;
}

/** How long to wait after the nth error (1, 2, ...): doubling, with up to a quarter of jitter so that retries spread out. */
export function retryDelay(failures: number, random: () => number = Math.random): number {
  const full = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
  return Math.round(full * (1 - 0.25 * random()));
}
