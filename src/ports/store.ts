import type { Episode } from "../domain/episode.ts";
import type {
  Evidence,
  Insight,
  InsightCounts,
  InsightKind,
  InsightStatus,
  Support,
} from "../domain/insight.ts";
import type { Intent, Shape } from "../domain/intent.ts";
import type { Fence, JobOutcome } from "../domain/job.ts";

/**
 * The knowledge of a tenant: intents and their shapes with vectors, episodes, insights, and the evidence that links them.
 *
 * Promises of every adapter:
 * - No call sees or changes another tenant's rows.
 * - `complete` and `forget` are one transaction each: all of it happens, or none of it.
 * - What `complete` wrote is found by the next call, in this process and in every other.
 * - Counts are derived from evidence: forgetting an episode takes its counts and tallies back, and an insight, intent or
 *   shape left without an episode goes with it.
 * - Lists come in a stable order, the same in every engine.
 */
export interface Store {
  /**
   * Writes what was learned from one upload and completes its job. Answers null, having written nothing, when the
   * fence is old: the job was taken over or forgotten.
   */
  complete(tenantId: string, fence: Fence, learned: Learned): Promise<InsightCounts | null>;

  /** The shapes nearest to a vector, and those that share the most telling words; each with its vector. */
  searchShapes(tenantId: string, search: ShapeSearch): Promise<StoredShape[]>;
  findShape(tenantId: string, shapeId: string): Promise<StoredShape | null>;

  /** Every intent of the tenant in the order of their ids, in chunks; for deciding deletes on full precision. */
  allIntents(tenantId: string, space: string): AsyncIterable<readonly StoredIntent[]>;

  /**
   * A fair sample of the tenant's intents and shapes, for telling what is alike from what is not: the first by their
   * ids, which are hashes. `version` moves with every change, so that a caller can keep what it made of the sample.
   */
  sample(tenantId: string, space: string, limit: number): Promise<Sample>;
  version(tenantId: string): Promise<number>;

  /** Intents and shapes whose vectors are of another space, at most so many of each; for embedding them anew. */
  outsideSpace(tenantId: string, space: string, limit: number): Promise<Pick<Sample, "intents" | "shapes">>;
  /** Replaces vectors; what was forgotten meanwhile stays forgotten. */
  placeInSpace(tenantId: string, space: string, vectors: NewVectors): Promise<void>;

  /**
   * The insights found under any of these topics, retired ones too, in the order of their ids. Of a topic with very many,
   * the 64 best supported.
   */
  insightsAbout(tenantId: string, topics: readonly string[]): Promise<CountedInsight[]>;
  listInsights(tenantId: string, filter: InsightFilter): Promise<CountedInsight[]>;
  findInsight(tenantId: string, insightId: string): Promise<InsightWithEvidence | null>;
  /** Sets or lifts the retirement; false where there is no such insight. */
  retire(tenantId: string, insightId: string, retired: Retirement | null): Promise<boolean>;

  /** Counters under a topic, in the order of their keys: all of them, or those asked for. */
  tallies(tenantId: string, topic: string, keys?: readonly string[]): Promise<TallyCount[]>;

  /** Episode (= job) ids of these intents, oldest first. */
  episodesOf(tenantId: string, intentIds: readonly string[]): Promise<EpisodeOfIntent[]>;

  /**
   * Removes episodes with their text, their evidence and tallies, and whatever is left without any; and uploads that are
   * still only in the queue.
   */
  forget(tenantId: string, what: Forgetting): Promise<Forgotten>;

  /** Crosses tenants: removes what has served its time, job records and idempotency keys. */
  expire(before: { readonly jobs: number; readonly idempotency: number }): Promise<void>;

  /** A cheap question to the database; rejects where it cannot be asked. */
  ping(): Promise<void>;

  close(): Promise<void>;
}

export interface Learned {
  readonly episode: Episode;
  readonly intent: Intent & { readonly vector: Float32Array };
  readonly shape: Shape & { readonly vector: Float32Array; readonly words: readonly string[] };
  /** The embedder's space of both vectors. */
  readonly space: string;
  readonly insights: readonly Insight[];
  readonly evidence: readonly Evidence[];
  readonly tallies: readonly Tally[];
  /** What was seen but not worth an insight. */
  readonly skipped: number;
  readonly completedAt: number;
  readonly notes: JobOutcome["notes"];
}

/** One thing counted by how the episode ended. Kept with the episode, so that forgetting it counts back. */
export interface Tally {
  readonly topic: string;
  readonly key: string;
}

export interface TallyCount extends Support {
  readonly key: string;
  /** Episodes of which nobody knows how they ended. */
  readonly unknown: number;
}

export function countByKey(tallies: readonly TallyCount[]): Map<string, number> {
  return new Map(tallies.map(({ key, succeeded, failed, unknown }) => [key, succeeded + failed + unknown]));
}

export interface ShapeSearch {
  readonly space: string;
  readonly vector: Float32Array;
  readonly words: readonly string[];
  /** At most so many by vector, and so many by words. */
  readonly limit: number;
}

export interface StoredShape extends Shape {
  readonly familyId: string;
  /** null where it has no vector in the space asked for. */
  readonly vector: Float32Array | null;
}

export interface StoredIntent extends Intent {
  readonly vector: Float32Array | null;
}

export interface Sample {
  readonly version: number;
  readonly intents: readonly StoredIntent[];
  readonly shapes: readonly StoredShape[];
}

/** By the id of the intent or shape. */
export interface NewVectors {
  readonly intents: ReadonlyMap<string, Float32Array>;
  readonly shapes: ReadonlyMap<string, Float32Array>;
}

/** An insight with what the evidence says, counted. */
export interface CountedInsight {
  readonly insight: Insight;
  readonly status: InsightStatus;
  readonly retirement: Retirement | null;
  /** Episodes for it, by how they ended. */
  readonly support: Support;
  readonly unknown: number;
  /** Episodes against it. */
  readonly against: number;
  /** The answers with their counts, most frequent first, where the insight is a question. */
  readonly values: readonly { readonly value: string; readonly count: number }[];
  /** Some of the episodes (= jobs) for it, newest first. */
  readonly sources: readonly string[];
  readonly createdAt: number;
  readonly lastSeenAt: number;
}

export interface Retirement {
  readonly at: number;
  /** A sentence. */
  readonly why: string;
}

export interface InsightFilter {
  readonly kind?: InsightKind;
  readonly status?: InsightStatus;
  readonly limit: number;
}

export interface InsightWithEvidence extends CountedInsight {
  readonly evidence: readonly (Evidence & { readonly episodeId: string })[];
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
