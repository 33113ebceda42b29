/** What kind of thing was learned. A kind decides how an insight is told, and whether it is something to do or to avoid. */
export const INSIGHT_KINDS = ["workflow", "pitfall"] as const;
export type InsightKind = (typeof INSIGHT_KINDS)[number];

/**
 * One thing learned. Its identity is its structure: the same structure seen again adds evidence instead of a new
 * insight, and its text is made from the structure, so it never drifts.
 */
export interface Insight {
  readonly insightId: string;
  readonly kind: InsightKind;
  /** The condition in words: the intent it was seen in. */
  readonly appliesWhen: string;
  readonly structure: InsightStructure;
}

export interface InsightStructure {
  /** Steps in order (workflow), or the one step to avoid (pitfall); values that vary are slots in braces. */
  readonly steps: readonly string[];
  /** What came of it, in the shape of the environment's own words (pitfall). */
  readonly because?: string;
}

/** An insight supported, or contradicted, by turns from-to (positions in the upload, first 0) of one episode. */
export interface Evidence {
  readonly insightId: string;
  readonly episodeId: string;
  readonly stance: "for" | "against";
  readonly from: number;
  readonly to: number;
}

/** How often the episodes behind an insight went well or badly. Derived from evidence, never set. */
export interface Support {
  readonly succeeded: number;
  readonly failed: number;
}

export interface InsightCounts {
  readonly created: number;
  readonly reinforced: number;
  readonly skipped: number;
}
