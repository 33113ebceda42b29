/**
 * What the proof counts: outcomes of tasks, by whether something was shown or held out, and with which probability.
 * Everything in this room is a function of these few sums, so one aggregate query can make them again at any time.
 */

/** The outcomes of one arm. A score lies in 0..1; for plain success and failure, `sumOfSquares` equals `sum`. */
export interface Arm {
  readonly n: number;
  readonly sum: number;
  readonly sumOfSquares: number;
}

/**
 * Outcomes that were assigned with one and the same probability. When a share is changed, a new stratum begins:
 * pooling the two would let a change of the tasks in between pass for an effect.
 */
export interface Stratum {
  /** The probability with which it was shown; at 0 or 1 nothing was left to chance and the stratum proves nothing. */
  readonly propensity: number;
  readonly shown: Arm;
  readonly heldOut: Arm;
}

export const noOutcomes: Arm = { n: 0, sum: 0, sumOfSquares: 0 };

export function successesOf(successes: number, n: number): Arm {
  return { n, sum: successes, sumOfSquares: successes };
}

export function isRandomised(stratum: Stratum): boolean {
  return stratum.propensity > 0 && stratum.propensity < 1;
}

/** The same outcomes with success and failure exchanged. */
export function flipped(arm: Arm): Arm {
  if (arm.sumOfSquares === arm.sum) return successesOf(arm.n - arm.sum, arm.n);
  return { n: arm.n, sum: arm.n - arm.sum, sumOfSquares: arm.n - 2 * arm.sum + arm.sumOfSquares };
}

/** The same outcomes with the arms' names exchanged: an effect of x becomes one of -x. */
export function mirrored(stratum: Stratum): Stratum {
  return { propensity: 1 - stratum.propensity, shown: stratum.heldOut, heldOut: stratum.shown };
}

export interface Difference {
  /** Mean of the shown less mean of the held out. */
  readonly value: number;
  /** How many outcomes in each of two equal arms would tell as much, halved: 1 / (1/shown + 1/held out). */
  readonly weight: number;
}

/** The difference within each stratum, averaged by how much each stratum tells; null until both arms have outcomes. */
export function difference(strata: readonly Stratum[]): Difference | null {
  let total = 0;
  let weight = 0;
  for (const { shown, heldOut } of strata) {
    if (shown.n === 0 || heldOut.n === 0) continue;
    const tells = (shown.n * heldOut.n) / (shown.n + heldOut.n);
    total += tells * (shown.sum / shown.n - heldOut.sum / heldOut.n);
    weight += tells;
  }
  return weight === 0 ? null : { value: total / weight, weight };
}
