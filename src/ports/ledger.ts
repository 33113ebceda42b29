/**
 * What was shown to whom, and what came of it: the raw material of the proof (docs/proof.md).
 *
 * Promises of every adapter:
 * - No call sees or changes another tenant's rows.
 * - `record` neither waits nor fails. What is recorded shares a commit with others and is on its way to the disk within a
 *   second; a crash loses at most that second, in both arms alike. Every later call of this process sees it, and so does
 *   the worker that learns from an upload which this process accepted later.
 * - An enhancement has one outcome at most. An explicit one beats an inferred one. Of two explicit ones the one that was
 *   told later counts, whichever arrives first. The same again changes nothing.
 * - There is no text of a caller here but the notes, which come redacted: requests are keyed hashes.
 */
export interface Ledger {
  record(tenantId: string, enhancement: Enhancement): void;

  /** The outcome of the enhancement with this id; `unknown` where there is none, it is another's, or it has expired. */
  tell(tenantId: string, enhancementId: string, outcome: Outcome): Promise<Told>;

  /**
   * The outcome of a task that names no enhancement: taken for that of the newest enhancement of the same request within
   * the hour before it that has no outcome yet. False where there is none, or where this source was counted already.
   */
  infer(tenantId: string, requestHash: string, outcome: Outcome): Promise<boolean>;

  /**
   * Outcomes counted: one cell for every combination of key, how it was joined, probability and arm, in the order of
   * keys. Divided by insight or kind only what `counts` is in them, but for `observed`.
   */
  cells(tenantId: string, division: Division): Promise<Cell[]>;

  /** Enhancements by week and by what became of them, with outcome or without; oldest week first. */
  coverage(tenantId: string): Promise<Coverage[]>;

  /** Insights retired and restored, newest first. They are kept as long as the tenant. */
  rulings(tenantId: string, limit: number): Promise<StoredRuling[]>;
  rule(tenantId: string, ruling: StoredRuling): Promise<void>;

  /** What callers said beside their outcomes, newest first. */
  notes(tenantId: string, limit: number): Promise<OutcomeNote[]>;

  /** Crosses tenants: removes what was recorded before this moment, with its outcomes. */
  expireAcrossTenants(before: number): Promise<void>;
}

/** `abstained`: there was nothing to show, so nothing was held back either. It counts in no comparison. */
export type EnhancementArm = "shown" | "held out" | "abstained";

export interface Enhancement {
  readonly enhancementId: string;
  readonly at: number;
  /** A keyed hash of what was asked. */
  readonly requestHash: string;
  /** '' where the caller did not say. */
  readonly agentType: string;
  /** Of the plan; '' without one. */
  readonly familyId: string;
  readonly arm: EnhancementArm;
  /** The probability of not being held out; 1 where nothing was left to chance. */
  readonly propensity: number;
  readonly exposures: readonly Exposure[];
}

/** One insight that was to be shown, and whether it was. */
export interface Exposure {
  readonly insightId: string;
  readonly kind: string;
  readonly shown: boolean;
  readonly propensity: number;
  /** Whether the outcome says something about this insight; see prove/assign.ts. */
  readonly counts: boolean;
  /** The first of its kind that counts: two insights of a kind would count one outcome twice for the kind. */
  readonly speaksForKind: boolean;
}

export interface Outcome {
  /** From 0 (failed) to 1 (succeeded). */
  readonly score: number;
  /** Null where it was not told. */
  readonly turns: number | null;
  readonly at: number;
  /** What brought it, so that the same again is known: a job's id, or a name for the feedback. */
  readonly source: string;
  readonly note: string | null;
}

export type Told = "counted" | "replaced" | "repeated" | "outdated" | "unknown";

/** Turns are counted up to so many: a run that went astray must not outweigh all others. */
export const MOST_TURNS = 50;

/** How long after an enhancement a task that does not name it may still be its. */
export const INFERRED_WITHIN_MS = 3_600_000;

export type Division =
  | { readonly by: "tenant" | "agent type" | "family" | "week" | "kind" }
  | {
      readonly by: "insight";
      /** Only exposures from this moment on. */
      readonly since?: number;
      readonly insightId?: string;
      /** What was shown without a lot, instead of what counts. */
      readonly observed?: boolean;
    };

export interface Cell {
  /** '' for the tenant; the start of the week in milliseconds for a week. */
  readonly key: string;
  readonly kind: string;
  readonly inferred: boolean;
  readonly propensity: number;
  readonly shown: boolean;
  readonly n: number;
  readonly sum: number;
  readonly sumOfSquares: number;
  /** Turns of the tasks that succeeded and told them. */
  readonly turns: { readonly n: number; readonly sum: number; readonly sumOfSquares: number };
}

export const WEEK_MS = 604_800_000;
/** Weeks begin on Monday (UTC), and 1970 began on a Thursday: so much is added to a time to divide it into weeks. */
export const INTO_WEEK_MS = 259_200_000;

export interface Coverage {
  /** In milliseconds. */
  readonly week: number;
  readonly arm: EnhancementArm;
  readonly enhancements: number;
  readonly outcomes: number;
}

export interface StoredRuling {
  readonly at: number;
  readonly insightId: string;
  readonly decision: "retire" | "restore";
  /** A sentence with the evidence. */
  readonly why: string;
}

export interface OutcomeNote {
  readonly at: number;
  readonly enhancementId: string;
  readonly score: number;
  readonly note: string;
}
