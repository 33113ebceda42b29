/**
 * How much more often tasks succeed when something is shown than when it is held out, with an interval that holds at
 * every look, and the words for it. Only outcomes that were assigned at random count here.
 */
import { type Stratum, difference, isRandomised } from "./arms.ts";
import { type Prior, lowerBound, upperBound } from "./confidence-sequence.ts";

export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/** In shares of 1: an effect of 0.08 is 8 more successes in a hundred tasks. */
export interface Estimate extends Interval {
  /** The numbers of outcomes it rests on. */
  readonly shown: number;
  readonly heldOut: number;
  /** Null until both arms have outcomes. To people it is shown only with the interval, and through `phrase`. */
  readonly difference: number | null;
}

export type Verdict = "helps" | "harms" | "no difference seen" | "not known yet";

/** All intervals that are reported hold for all times together with 95%. */
export const REPORTED_ALPHA = 0.05;

/** An effect smaller than this is no difference worth a word. */
const NEGLIGIBLE = 0.05;

/** Wide enough for intervals to tighten from tens of outcomes to hundreds of thousands; see the table in docs/proof.md. */
const EFFECT_PRIOR: Prior = {
  rates: [0.15, 0.35, 0.6, 0.85],
  distances: [
    { size: 0.008, weight: 0.5 },
    { size: 0.02, weight: 1 },
    { size: 0.05, weight: 1.5 },
    { size: 0.1, weight: 2 },
    { size: 0.2, weight: 2 },
    { size: 0.4, weight: 1 },
  ],
};

/** Strata in which nothing was left to chance are passed over. */
export function estimateEffect(all: readonly Stratum[], alpha = REPORTED_ALPHA): Estimate {
  const strata = all.filter(isRandomised);
  const seen = difference(strata)?.value ?? null;
  const lower = lowerBound(strata, alpha / 2, EFFECT_PRIOR);
  const upper = upperBound(strata, alpha / 2, EFFECT_PRIOR);
  return {
    shown: strata.reduce((sum, stratum) => sum + stratum.shown.n, 0),
    heldOut: strata.reduce((sum, stratum) => sum + stratum.heldOut.n, 0),
    difference: seen,
    // The bounds correct for a draw that came out uneven and the plain difference does not: widen rather than contradict.
    lower: Math.min(lower, seen ?? lower),
    upper: Math.max(upper, seen ?? upper),
  };
}

export function verdict({ lower, upper }: Interval, negligible = NEGLIGIBLE): Verdict {
  if (lower > 0) return "helps";
  if (upper < 0) return "harms";
  if (lower > -negligible && upper < negligible) return "no difference seen";
  return "not known yet";
}

/** The verdict with its figures, in points of a hundred; without any figure while nothing is known. */
export function phrase(estimate: Estimate): string {
  const word = verdict(estimate);
  if (word === "not known yet" || estimate.difference === null) return word;
  const [seen, lower, upper] = [estimate.difference, estimate.lower, estimate.upper].map(points);
  return `${word}: ${seen} points (between ${lower} and ${upper})`;
}

function points(share: number): string {
  const value = Math.round(share * 1000) / 10;
  return value > 0 ? `+${value}` : `${value}`;
}

export interface HoldoutCost extends Interval {
  readonly heldOut: number;
  /** Successes that holding out has cost so far, as expected from the effect; negative where it spared failures. */
  readonly successesForgone: number | null;
}

/** `heldOut`: all tasks held out, also those whose outcome was never told; they paid too. */
export function costOfHoldingOut(estimate: Estimate, heldOut = estimate.heldOut): HoldoutCost {
  return {
    heldOut,
    successesForgone: estimate.difference === null ? null : heldOut * estimate.difference,
    lower: heldOut * estimate.lower,
    upper: heldOut * estimate.upper,
  };
}
