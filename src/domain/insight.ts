/**
 * What kind of thing was learned. The kind decides how an insight is told, and whether it is something to do, to know
 * or to avoid.
 */
export const INSIGHT_KINDS = [
  "workflow",
  "pitfall",
  "recovery",
  "precondition",
  "contrast",
  "tool",
  "fact",
  "efficiency",
] as const;
export type InsightKind = (typeof INSIGHT_KINDS)[number];

/**
 * One thing learned. Its identity is its structure: the same structure seen again adds evidence instead of a new
 * insight, and its text is made from the structure, so it never drifts.
 */
export interface Insight {
  readonly insightId: string;
  readonly kind: InsightKind;
  /** The condition in words: the kind of request, the tool or the thing it is about. */
  readonly appliesWhen: string;
  /** Under what it is found again: `family:…`, `tool:…`, `thing:…`. */
  readonly topics: readonly string[];
  readonly structure: InsightStructure;
}

/** Plain JSON by kind; `learn/` makes it and `advise/` tells it. */
export type InsightStructure =
  /** The working steps in order; values that vary are roles in braces. */
  | { readonly kind: "workflow"; readonly steps: readonly Step[] }
  /** A step that does not work, and how the environment says so. */
  | { readonly kind: "pitfall"; readonly step: string; readonly error: string }
  /** A way out of an error. */
  | { readonly kind: "recovery"; readonly step: string; readonly error: string; readonly fix: string }
  /** A step that needs another one first. */
  | { readonly kind: "precondition"; readonly step: string; readonly needs: string }
  /** A step that successes of a family take and failures do not. */
  | { readonly kind: "contrast"; readonly step: string }
  /** A tool called with these arguments; the evidence's value says whether that worked. */
  | { readonly kind: "tool"; readonly tool: string; readonly arguments: readonly string[] }
  /** A question about the world; the evidence's values are the answers, counted. */
  | { readonly kind: "fact"; readonly subject: string; readonly relation: string }
  /** How few turns a success of a family needs; the evidence's values are turns. */
  | { readonly kind: "efficiency" };

export interface Step {
  /** `take {1} from {2}`: roles numbered by first use, the same thing always the same role. */
  readonly text: string;
  readonly verb: string;
  /** Done several times in a row. */
  readonly repeated: boolean;
  /** By role number: what stood there in the run it was first seen in, and whether the query named it. */
  readonly roles: Readonly<Record<string, Role>>;
}

export interface Role {
  /** `object`, a preposition (`from`), or an argument's name. */
  readonly name: string;
  /** A noun or an option that another task can use; null for ids, dates and the like. */
  readonly value: string | null;
  /** Which gap of the request's shape it filled, first 0; null where the request did not name it. */
  readonly gap: number | null;
}

/** An insight supported, or contradicted, by turns from-to (positions in the upload, first 0) of one episode. */
export interface Evidence {
  readonly insightId: string;
  readonly stance: "for" | "against";
  /** The answer that this episode gives, where the insight is a question (facts); null otherwise. */
  readonly value: string | null;
  readonly from: number;
  readonly to: number;
}

/** How often the episodes behind an insight went well or badly. Derived from evidence, never set. */
export interface Support {
  readonly succeeded: number;
  readonly failed: number;
}

/**
 * Seen once, an insight is a candidate: it may be shown, labelled as seen once. Corroborated by two different episodes
 * it is active. Retired by a person, or because it does harm, it is shown no more.
 */
export type InsightStatus = "candidate" | "active" | "retired";

export interface InsightCounts {
  readonly created: number;
  readonly reinforced: number;
  readonly skipped: number;
}
