/**
 * What an insight is worth in ranking: its expected effect on success, drawn towards what insights of its kind are
 * worth, the more so the less is known. It ranks; it proves nothing, and it is not shown to people as an effect.
 */
import { type Arm, type Difference, type Stratum, difference, isRandomised } from "./arms.ts";

/** How the true effects of a kind's insights are spread. */
export interface KindPrior {
  readonly mean: number;
  readonly spread: number;
}

/** Outcomes with and without the insight where nobody drew lots: the tasks may have differed in other ways too. */
export interface Observed {
  readonly shown: Arm;
  readonly without: Arm;
}

export interface Utility {
  readonly value: number;
  /** What it rests on. An observed value is never presented as a randomised one. */
  readonly basis: "randomised" | "observed" | "kind" | "nothing";
}

/** Before anything is known of a kind: most insights move success by less than ten points, either way. */
const USUAL_SPREAD = 0.1;

/** The usual spread counts as much as this many insights of the kind. */
const USUAL_SPREAD_COUNTS = 5;

/** How far an observed difference may be off however many outcomes it has; it gives it a fifth of the weight at most. */
const CONFOUNDING = 0.2;

/**
 * The variance of one outcome at its largest. With the variance as estimated, one success more could lower a utility
 * (by making the difference look less certain); with this one, a success when shown always raises it.
 */
const OUTCOME_VARIANCE = 0.25;

export function utility(
  randomised: readonly Stratum[],
  observed: Observed | null = null,
  kind: KindPrior | null = null,
): Utility {
  const prior = kind ?? { mean: 0, spread: USUAL_SPREAD };
  const proven = difference(randomised.filter(isRandomised));
  if (proven !== null) return { value: shrunk(proven, prior, 0), basis: "randomised" };
  const seen =
    observed === null
      ? null
      : difference([{ propensity: 1, shown: observed.shown, heldOut: observed.without }]);
  if (seen !== null) return { value: shrunk(seen, prior, CONFOUNDING), basis: "observed" };
  return { value: prior.mean, basis: kind === null ? "nothing" : "kind" };
}

/** The posterior mean of a normal effect with a normal prior. */
function shrunk(seen: Difference, prior: KindPrior, bias: number): number {
  const between = prior.spread * prior.spread;
  const within = OUTCOME_VARIANCE / seen.weight + bias * bias;
  return prior.mean + (between / (between + within)) * (seen.value - prior.mean);
}

/**
 * A kind's prior from the randomised differences of its insights (empirical Bayes: DerSimonian and Laird's moments,
 * themselves drawn towards no mean effect and the usual spread). Null without any, so that `utility` falls back to 0.
 */
export function kindPrior(insights: readonly Difference[]): KindPrior | null {
  if (insights.length === 0) return null;
  const usual = USUAL_SPREAD * USUAL_SPREAD;
  const found = spreadBetween(insights);
  const between =
    ((insights.length - 1) * found + USUAL_SPREAD_COUNTS * usual) /
    (insights.length - 1 + USUAL_SPREAD_COUNTS);
  let total = 0;
  let precision = 1 / usual;
  for (const { value, weight } of insights) {
    const tells = 1 / (between + OUTCOME_VARIANCE / weight);
    total += tells * value;
    precision += tells;
  }
  return { mean: total / precision, spread: Math.sqrt(between) };
}

function spreadBetween(insights: readonly Difference[]): number {
  let weights = 0;
  let squares = 0;
  let total = 0;
  for (const { value, weight } of insights) {
    const tells = weight / OUTCOME_VARIANCE;
    weights += tells;
    squares += tells * tells;
    total += tells * value;
  }
  const mean = total / weights;
  const excess = insights.reduce(
    (sum, { value, weight }) => sum + (weight / OUTCOME_VARIANCE) * (value - mean) ** 2,
    -(insights.length - 1),
  );
  const scale = weights - squares / weights;
  return scale > 0 ? Math.max(0, excess / scale) : 0;
}
