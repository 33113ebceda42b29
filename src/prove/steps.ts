/**
 * How many turns are saved among tasks that succeeded. A description, not a proof: which tasks succeed depends on what
 * was shown, so the two groups need not be alike. Nothing is retired for it.
 */
import type { Arm } from "./arms.ts";
import { meanBounds } from "./confidence-sequence.ts";
import { type Interval, REPORTED_ALPHA } from "./estimate.ts";

/** In turns; positive where the shown needed fewer. */
export interface StepsSaved extends Interval {
  readonly shown: number;
  readonly heldOut: number;
  readonly saved: number | null;
}

/**
 * The arms hold the turns of successful tasks, each counted as `mostTurns` at the most. Each arm's mean gets its own
 * interval with half of alpha: the probability of an arm is known among all tasks but not among the successful ones,
 * so the two cannot be weighed against each other as in `estimateEffect`.
 */
export function stepsSaved(shown: Arm, heldOut: Arm, mostTurns: number, alpha = REPORTED_ALPHA): StepsSaved {
  const ofShown = meanBounds(scaled(shown, mostTurns), alpha / 2);
  const ofHeldOut = meanBounds(scaled(heldOut, mostTurns), alpha / 2);
  return {
    shown: shown.n,
    heldOut: heldOut.n,
    saved: shown.n === 0 || heldOut.n === 0 ? null : heldOut.sum / heldOut.n - shown.sum / shown.n,
    lower: mostTurns * (ofHeldOut.lower - ofShown.upper),
    upper: mostTurns * (ofHeldOut.upper - ofShown.lower),
  };
}

function scaled(arm: Arm, most: number): Arm {
  return { n: arm.n, sum: arm.sum / most, sumOfSquares: arm.sumOfSquares / (most * most) };
}
