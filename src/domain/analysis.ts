import type { Action } from "./action.ts";

/**
 * What one interaction shows when it is read without a model. Plain JSON: every claim names the turns it stands on, by
 * their index in the upload (`turn` keeps the caller's own number for people).
 */
export interface Analysis {
  readonly turns: readonly TurnAnalysis[];
  readonly recoveries: readonly Recovery[];
  readonly loops: readonly Loop[];
  readonly bursts: readonly Burst[];
  readonly backtracks: readonly Backtrack[];
  /** Only for a failure; null when it succeeded, when that is unknown, or when there is nothing to blame. */
  readonly mistake: Mistake | null;
  /** What led to the end state: exploration, repeats, detours and steps without effect are left out. */
  readonly workingSteps: readonly WorkingStep[];
  readonly facts: readonly Fact[];
  readonly preconditions: readonly Precondition[];
  /** Results that look as if nothing had happened; a tenant that counts them over many failures learns which are so. */
  readonly noopShapes: readonly NoopShape[];
}

/** `report`: what the environment said, written as a turn of its own in some multi-agent logs. */
export type TurnRole = "act" | "speak" | "report" | "empty";

/** `unknown`: nobody said what came of it, which is no sign of failure. */
export type Outcome = "effective" | "useless" | "error" | "unknown";

export interface TurnAnalysis {
  readonly index: number;
  /** The caller's number; as a string where it does not fit a double. */
  readonly turn: number | string;
  readonly speaker: string | null;
  readonly role: TurnRole;
  readonly actions: readonly Action[];
  readonly outcome: Outcome;
  readonly error: ErrorSignature | null;
  /** Why the outcome is called useless; null otherwise. */
  readonly useless: UselessReason | null;
}

export type UselessReason =
  | "known no-op"
  | "says nothing happened"
  | "empty result"
  | "nothing changed"
  | "same answer to anything";

/** An error without the values of one task, so that the same error of two tasks is one. */
export interface ErrorSignature {
  /** Its class or kind: `FileNotFoundError`, `http`, `exit`; null when only the wording shows it. */
  readonly class: string | null;
  /** `404`, `1`, `ENOENT`. */
  readonly code: string | null;
  /** The message with values as slots. */
  readonly shape: string;
  /** 0 to 4: how much it tells. A bare "failed" is 0. */
  readonly specificity: number;
}

/** One way out of an error: the failed turns, the turn that worked, and what was different. */
export interface Recovery {
  readonly failed: readonly number[];
  readonly fixed: number;
  readonly error: ErrorSignature | null;
  readonly verb: string;
  /** `arguments`: same tool, other arguments. `preparation`: same call, after other steps. `instead`: another tool did it. */
  readonly how: "arguments" | "preparation" | "instead";
  readonly changes: readonly ArgumentChange[];
  /** Effective steps between the last failure and the fix. */
  readonly between: readonly number[];
}

export interface ArgumentChange {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The same thing again and again: one action (`period` 1), or a cycle of a few. */
export interface Loop {
  readonly from: number;
  readonly to: number;
  readonly period: number;
  readonly times: number;
  readonly signature: string;
}

/** Several failures of one tool with no success between them. */
export interface Burst {
  readonly verb: string;
  readonly turns: readonly number[];
  readonly error: ErrorSignature | null;
}

/** The run came back, at `to`, to where it had been after `from`; what lies between was a detour. */
export interface Backtrack {
  readonly from: number;
  readonly to: number;
}

export interface Mistake {
  readonly index: number;
  readonly turn: number | string;
  /** The strongest signs, strongest first, in words. */
  readonly reasons: readonly string[];
  /** The model's probability for this turn among all turns. */
  readonly confidence: number;
}

export interface WorkingStep {
  readonly index: number;
  readonly action: Action;
}

/** Something the run shows about its world. */
export type Fact = PlaceFact | FlowFact;

/** Where a kind of thing is, or what it was used with: `mug` `from` `desk`. */
export interface PlaceFact {
  readonly kind: "place";
  readonly subject: string;
  /** The preposition of the action, or `at` for something that was seen there. */
  readonly relation: string;
  readonly object: string;
  /** The verb that showed it. */
  readonly verb: string;
  readonly turns: readonly number[];
}

/** A value of an argument was first seen in an earlier result: where to get it next time. */
export interface FlowFact {
  readonly kind: "flow";
  /** What the value was called in the result; null when the result does not name it. */
  readonly key: string | null;
  readonly value: string;
  readonly from: string;
  readonly to: string;
  readonly argument: string;
  readonly turns: readonly number[];
}

/** A candidate: `action` seems to need `needs` first. Many runs must agree before it is a rule. */
export interface Precondition {
  readonly action: string;
  readonly needs: string;
  readonly why: "failed before it, worked after it" | "uses its result";
  readonly turns: readonly number[];
}

export interface NoopShape {
  readonly shape: string;
  /** How many different exact actions got this answer. */
  readonly actions: number;
  readonly turns: readonly number[];
}
