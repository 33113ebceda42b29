/**
 * Bounds that may be looked at after every outcome and still hold, all looks together (docs/proof.md has the proof).
 *
 * The idea is a bet. Whoever claims that the true effect is at least x would offer the bet below as fair; if the claim
 * is true, its wealth is worth at most 1 in expectation, at every time. When it has grown to 1/alpha the claim is given
 * up, and Ville's inequality says that a true one is ever given up with probability alpha at most. The wealth is a mean
 * of products whose factors do not depend on the order of the outcomes: the sums of `Arm` are enough, and nothing has to
 * be kept between two looks.
 */
import { type Arm, type Stratum, flipped, isRandomised, mirrored } from "./arms.ts";

/**
 * The alternatives that are bet on: every held-out success rate with every distance from the claim. It decides how fast
 * the bounds tighten, never whether they hold, provided that it was fixed before the data were seen.
 */
export interface Prior {
  readonly rates: readonly number[];
  readonly distances: readonly { readonly size: number; readonly weight: number }[];
}

/** No bet stakes more than this share of its wealth, so that no single outcome can ruin it. */
const LARGEST_STAKE = 0.95;

/** A bound nearer to the end of its range than this is that end: where nothing is possible, nothing can be bet. */
const EDGE = 0.001;

/** Bounds are rounded outwards to a hundredth of a point. */
const PRECISION = 1e-4;

/**
 * The log of the evidence (an e-value) against "the effect is at least `effect`". Evidence of 50 comes up once in 50
 * times at most if the claim is true, however often one looks. It rises with `effect`.
 */
export function logEvidenceAgainstAtLeast(effect: number, strata: readonly Stratum[], prior: Prior): number {
  const bets: Bet[] = [];
  for (const rate of prior.rates) {
    for (const { size, weight } of prior.distances) {
      let log = 0;
      for (const stratum of strata) {
        if (isRandomised(stratum)) log += logWealth(stratum, effect, rate, Math.min(size, 0.9 * rate));
      }
      bets.push({ log, weight });
    }
  }
  return logOfMean(bets);
}

/** See `logEvidenceAgainstAtLeast`; the claim is "the effect is at most `effect`". */
export function logEvidenceAgainstAtMost(effect: number, strata: readonly Stratum[], prior: Prior): number {
  return logEvidenceAgainstAtLeast(-effect, strata.map(mirrored), prior);
}

/** The effect lies under this at all times, with probability 1 - alpha. */
export function upperBound(strata: readonly Stratum[], alpha: number, prior: Prior): number {
  const enough = Math.log(1 / alpha);
  return largestNotExcluded(-1, 1, (effect) => logEvidenceAgainstAtLeast(effect, strata, prior) - enough);
}

/** The effect lies over this at all times, with probability 1 - alpha. */
export function lowerBound(strata: readonly Stratum[], alpha: number, prior: Prior): number {
  return -upperBound(strata.map(mirrored), alpha, prior);
}

/**
 * One bet on one stratum, best if the held-out rate is `rate` and the effect is `size` under zero.
 *
 * Call it a miss when a held-out task succeeds or a shown one fails. Counted once for every 1/probability of its arm,
 * misses have the mean 1 - effect, whatever the tasks are like and however they change; divided by 1 - `effect`, at most
 * 1 if the claim is true. `centre` is taken off in both arms alike: it changes no mean and removes the noise of uneven arms.
 */
function logWealth(stratum: Stratum, effect: number, rate: number, size: number): number {
  const shown = stratum.propensity;
  const heldOut = 1 - shown;
  const centre = rate - shown * size;
  const stake = Math.min(
    (size * shown * heldOut) / (centre * (1 - centre)),
    LARGEST_STAKE * Math.min(shown / (1 - centre), heldOut / centre),
  );
  const unit = 1 / (1 - effect);
  return (
    logGrowth(flipped(stratum.shown), unit, 1 - centre, stake / shown) +
    logGrowth(stratum.heldOut, unit, centre, stake / heldOut)
  );
}

/** Bounds for the mean of one bounded variable (0..1), each of the two holding at all times with 1 - alpha / 2. */
export function meanBounds(arm: Arm, alpha: number): { readonly lower: number; readonly upper: number } {
  return { lower: 1 - meanUpperBound(flipped(arm), alpha / 2), upper: meanUpperBound(arm, alpha / 2) };
}

/** Each of these stakes is right for some spread and some number of outcomes. */
const MEAN_STAKES = [0.01, 0.03, 0.1, 0.3, 0.8];

function meanUpperBound(arm: Arm, alpha: number): number {
  const misses = flipped(arm);
  const enough = Math.log(1 / alpha);
  return largestNotExcluded(0, 1, (mean) => {
    const unit = 1 / (1 - mean);
    const bets = MEAN_STAKES.map((stake) => ({ log: logGrowth(misses, unit, 1, stake), weight: 1 }));
    return logOfMean(bets) - enough;
  });
}

/**
 * The log of a lower bound for the product of 1 + stake * (unit * score - centre) over an arm's scores.
 * Two bounds hold for every data set, so the larger one does: the first is exact for scores of 0 and 1 (the log of a
 * mean is at least the mean of the logs), the second knows the spread of the scores (Fan, Grama and Liu: log(1 + x) is
 * at least x + (log(1 - w) + w) (x / w)² for x >= -w) and is the better one when they are seldom at the ends.
 */
function logGrowth(arm: Arm, unit: number, centre: number, stake: number): number {
  const worst = stake * centre;
  const ends = arm.sum * Math.log(1 + stake * (unit - centre)) + (arm.n - arm.sum) * Math.log(1 - worst);
  if (arm.sumOfSquares === arm.sum) return ends;
  const gains = stake * (unit * arm.sum - arm.n * centre);
  const squares = unit * unit * arm.sumOfSquares - 2 * unit * centre * arm.sum + arm.n * centre * centre;
  return Math.max(ends, gains + ((Math.log(1 - worst) + worst) / (centre * centre)) * squares);
}

interface Bet {
  readonly log: number;
  readonly weight: number;
}

function logOfMean(bets: readonly Bet[]): number {
  let largest = -Infinity;
  for (const { log } of bets) largest = Math.max(largest, log);
  let total = 0;
  let weights = 0;
  for (const { log, weight } of bets) {
    total += weight * Math.exp(log - largest);
    weights += weight;
  }
  return largest + Math.log(total / weights);
}

/** Where a rising function passes zero, rounded up; `most` where it does not. */
function largestNotExcluded(least: number, most: number, excess: (value: number) => number): number {
  let low = least;
  let high = most - EDGE;
  if (excess(high) < 0) return most;
  while (high - low > PRECISION) {
    const middle = (low + high) / 2;
    if (excess(middle) < 0) low = middle;
    else high = middle;
  }
  return high;
}
