/** Tenants with a known truth: a success rate, an effect, and a share that is held out by lot. */
import type { Stratum } from "../../src/prove/arms.ts";

export interface World {
  /** Success rate of the held-out tasks; a pair where it drifts from one to the other over the run. */
  readonly rate: number | readonly [number, number];
  /** What being shown adds to it. */
  readonly effect: number;
  readonly holdout: number;
  /** The share that is held out in the second half of the run, where it changes. */
  readonly holdoutLater?: number;
  /** Scores with this many equal steps between 0 and 1 instead of success and failure, with the same mean. */
  readonly steps?: number;
}

export type Random = () => number;

/** mulberry32: small, fast, the same everywhere. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Sums {
  n: number;
  sum: number;
  sumOfSquares: number;
}

interface Counting extends Stratum {
  readonly shown: Sums;
  readonly heldOut: Sums;
}

/** Lives one tenant, and shows the sums at each look until the visitor has seen enough (returns true). */
export function live(
  world: World,
  looks: readonly number[],
  random: Random,
  visit: (strata: readonly Stratum[], outcomes: number) => boolean | void,
): void {
  const last = looks.at(-1) ?? 0;
  const strata = [counting(world.holdout)];
  let current = strata[0] ?? counting(world.holdout);
  let next = 0;
  for (let outcome = 1; outcome <= last; outcome++) {
    if (world.holdoutLater !== undefined && strata.length === 1 && outcome > last / 2) {
      current = counting(world.holdoutLater);
      strata.push(current);
    }
    const shown = random() < current.propensity;
    const base =
      typeof world.rate === "number"
        ? world.rate
        : world.rate[0] + ((world.rate[1] - world.rate[0]) * outcome) / last;
    const score = draw(shown ? base + world.effect : base, world.steps ?? 1, random);
    const arm = shown ? current.shown : current.heldOut;
    arm.n++;
    arm.sum += score;
    arm.sumOfSquares += score * score;
    if (outcome === looks[next]) {
      next++;
      if (visit(strata, outcome) === true) return;
    }
  }
}

function counting(holdout: number): Counting {
  return {
    propensity: 1 - holdout,
    shown: { n: 0, sum: 0, sumOfSquares: 0 },
    heldOut: { n: 0, sum: 0, sumOfSquares: 0 },
  };
}

function draw(mean: number, steps: number, random: Random): number {
  let score = 0;
  for (let step = 0; step < steps; step++) if (random() < mean) score++;
  return score / steps;
}

/** Looks at equal distances up to `last`. */
export function evenLooks(last: number, count = 100): number[] {
  return [...new Set(Array.from({ length: count }, (_, index) => Math.ceil(((index + 1) * last) / count)))];
}

/** Looks from `first` to `last`, each a little further than the one before: early ones are dense, none is left out. */
export function growingLooks(first: number, last: number, count = 100): number[] {
  const step = (last / first) ** (1 / (count - 1));
  return [...new Set(Array.from({ length: count }, (_, index) => Math.round(first * step ** index)))];
}

/** z of a two-sided 5% test, of a one-sided one, and of 90% power. */
export const TWO_SIDED = 1.959964;
export const ONE_SIDED = 1.644854;
const POWER = 1.281552;

/** Outcomes of both arms together that the textbook two-proportion z test needs for 90% power, looking once. */
export function fixedSampleSize(rate: number, effect: number, holdout: number, z: number): number {
  const shown = rate + effect;
  const pooled = (1 - holdout) * shown + holdout * rate;
  const under = Math.sqrt(pooled * (1 - pooled) * (1 / (1 - holdout) + 1 / holdout));
  const real = Math.sqrt((shown * (1 - shown)) / (1 - holdout) + (rate * (1 - rate)) / holdout);
  return Math.ceil(((z * under + POWER * real) / effect) ** 2);
}
