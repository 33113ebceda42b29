import type { Episode } from "../domain/episode.ts";
import type { Evidence, Insight, InsightCounts, Support } from "../domain/insight.ts";
import type { Fence, JobOutcome } from "../domain/job.ts";

/**
 * The knowledge of a tenant: intents with their vectors, episodes, insights and the evidence that links them.
 *
 * Promises of every adapter:
 * - No call sees or changes another tenant's rows.
 * - `complete` and `forget` are one transaction each: all of it happens, or none of it.
 * - What `complete` wrote is found by the next call, in this process and in every other.
 * - Counts are derived from evidence: forgetting an episode takes its counts back, and an insight left without
 *   evidence goes with it.
 */
export interface Store {
  /**
   * Writes what was learned from one upload and completes its job. Answers null, having written nothing, when the
   * fence is old: the job was taken over or forgotten.
   */
  complete(tenantId: string, fence: Fence, learned: Learned): Promise<InsightCounts | null>;

  /** The intents nearest to a vector or sharing words with the query, each with its exact cosine. */
  searchIntents(tenantId: string, search: IntentSearch): Promise<IntentHit[]>;

  /** Every intent of the tenant, in chunks, with its vector; for deciding deletes on full precision. */
  allIntents(tenantId: string, space: string): AsyncIterable<readonly StoredIntent[]>;

  /** The insights that have evidence in episodes of these intents, with that evidence counted per intent. */
  insightsFor(tenantId: string, intentIds: readonly string[]): Promise<AppliedInsight[]>;

  /** Episode (= job) ids of these intents, oldest first. */
  episodesOf(tenantId: string, intentIds: readonly string[]): Promise<EpisodeOfIntent[]>;

  /**
   * Removes episodes with their text, their evidence, and the insights and intents left without any; and uploads that
   * are still only in the queue.
   */
  forget(tenantId: string, what: Forgetting): Promise<Forgotten>;

  /** Removes what has served its time: job records, idempotency keys. */
  expire(before: { readonly jobs: number; readonly idempotency: number }): Promise<void>;

  /** A cheap question to the database; rejects where it cannot be asked. */
  ping(): Promise<void>;

  close(): Promise<void>;
}

export interface Learned {
  readonly episode: Episode;
  readonly vector: IntentVector;
  /** Words of the intent, for search. */
  readonly words: readonly string[];
  readonly insights: readonly Insight[];
  readonly evidence: readonly Evidence[];
  /** What was seen but not worth an insight. */
  readonly skipped: number;
  readonly completedAt: number;
  readonly notes: JobOutcome["notes"];
}

export interface IntentVector {
  readonly space: string;
  readonly values: Float32Array;
}

export interface IntentSearch {
  readonly vector: IntentVector;
  readonly words: readonly string[];
  readonly limit: number;
}

export interface IntentHit {
  readonly intentId: string;
  readonly text: string;
  readonly cosine: number;
}

export interface StoredIntent {
  readonly intentId: string;
  readonly text: string;
  /** null where the intent has no vector in the space asked for. */
  readonly vector: Float32Array | null;
}

export interface AppliedInsight {
  readonly insight: Insight;
  readonly intentId: string;
  /** Counted over the episodes of this intent alone. */
  readonly support: Support;
  readonly against: number;
  /** Counted over all episodes. */
  readonly total: Support;
  /** Some of the episodes (= jobs) of this intent it was learned from, newest first. */
  readonly sources: readonly string[];
}

export interface EpisodeOfIntent {
  readonly intentId: string;
  readonly episodeId: string;
}

export interface Forgetting {
  readonly episodeIds: readonly string[];
  readonly jobIds: readonly string[];
  readonly at: number;
}

export interface Forgotten {
  readonly episodes: number;
  readonly insights: number;
  readonly uploads: number;
}
