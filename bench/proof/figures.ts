/** The simulations behind docs/proof.md. Each takes a number of tenants and answers with figures, printing nothing. */
import { type Stratum, successesOf } from "../../src/prove/arms.ts";
import { estimateEffect, verdict } from "../../src/prove/estimate.ts";
import { EXPLORATION_SHARE, decide } from "../../src/prove/retire.ts";
import { stepsSaved } from "../../src/prove/steps.ts";
import { type Rival, rivals } from "./rivals.ts";
import {
  ONE_SIDED,
  TWO_SIDED,
  type World,
  evenLooks,
  fixedSampleSize,
  growingLooks,
  live,
  seeded,
} from "./world.ts";

const HOLDOUTS = [0.1, 0.5];
const RATES = [0.3, 0.5, 0.8];

export interface Honesty {
  readonly world: World;
  /** Shares of tenants: every interval held the truth; ever called helping, harming; ever retired. */
  readonly covered: number;
  readonly helps: number;
  readonly harms: number;
  readonly retired: number;
}

/** One hundred looks from 10 outcomes to `last`: is every interval right, every time? */
export function honesty(world: World, tenants: number, last: number, seed: number): Honesty {
  const looks = growingLooks(10, last);
  const random = seeded(seed);
  const count = { covered: 0, helps: 0, harms: 0, retired: 0 };
  for (let tenant = 0; tenant < tenants; tenant++) {
    let [covered, helps, harms, retired] = [true, false, false, false];
    live(world, looks, random, (strata) => {
      const estimate = estimateEffect(strata);
      covered &&= estimate.lower <= world.effect && world.effect <= estimate.upper;
      const word = verdict(estimate);
      helps ||= word === "helps";
      harms ||= word === "harms";
      retired ||= decide("active", strata).decision === "retire";
    });
    if (covered) count.covered++;
    if (helps) count.helps++;
    if (harms) count.harms++;
    if (retired) count.retired++;
  }
  return {
    world,
    covered: count.covered / tenants,
    helps: count.helps / tenants,
    harms: count.harms / tenants,
    retired: count.retired / tenants,
  };
}

export interface Retirement {
  readonly rate: number;
  readonly effect: number;
  readonly holdout: number;
  /** Outcomes that the z test needs, two-sided and one-sided. */
  readonly twoSided: number;
  readonly oneSided: number;
  /** Share of tenants that have retired it by twice that. */
  readonly byTwiceTwoSided: number;
  readonly byTwiceOneSided: number;
  /** Median number of outcomes at retirement, as a multiple of the two-sided test's. */
  readonly median: number;
}

export function retirement(
  rate: number,
  effect: number,
  holdout: number,
  tenants: number,
  seed: number,
): Retirement {
  const twoSided = fixedSampleSize(rate, effect, holdout, TWO_SIDED);
  const oneSided = fixedSampleSize(rate, effect, holdout, ONE_SIDED);
  const random = seeded(seed);
  const retiredAt: number[] = [];
  for (let tenant = 0; tenant < tenants; tenant++) {
    let at = Infinity;
    live({ rate, effect, holdout }, evenLooks(2 * twoSided), random, (strata, outcomes) => {
      if (decide("active", strata).decision !== "retire") return false;
      at = outcomes;
      return true;
    });
    retiredAt.push(at);
  }
  const by = (outcomes: number): number => retiredAt.filter((at) => at <= outcomes).length / tenants;
  return {
    rate,
    effect,
    holdout,
    twoSided,
    oneSided,
    byTwiceTwoSided: by(2 * twoSided),
    byTwiceOneSided: by(2 * oneSided),
    median: median(retiredAt) / twoSided,
  };
}

export interface Comparison {
  readonly name: string;
  /** Share of harmful ones retired by twice the two-sided z test's outcomes, and of harmless ones ever: the worst cells. */
  readonly leastPower: number;
  readonly meanPower: number;
  readonly mostFalse: number;
}

export function comparison(tenants: number, seed: number): Comparison[] {
  const harmful = cells([-0.1, -0.25]);
  const harmless = cells([0]);
  return rivals.map((rival) => {
    const power = harmful.map(({ rate, effect, holdout }, index) => {
      const looks = evenLooks(2 * fixedSampleSize(rate, effect, holdout, TWO_SIDED));
      return shareRetired(rival, { rate, effect, holdout }, looks, tenants, seed + index);
    });
    const wrong = harmless.map((world, index) =>
      shareRetired(rival, world, growingLooks(10, 10_000), tenants, seed + index),
    );
    return {
      name: rival.name,
      leastPower: Math.min(...power),
      meanPower: power.reduce((sum, share) => sum + share, 0) / power.length,
      mostFalse: Math.max(...wrong),
    };
  });
}

function shareRetired(
  rival: Rival,
  world: World,
  looks: readonly number[],
  tenants: number,
  seed: number,
): number {
  const random = seeded(seed);
  let retired = 0;
  for (let tenant = 0; tenant < tenants; tenant++) {
    live(world, looks, random, ([stratum]) => {
      if (stratum === undefined || !rival.retires(stratum, world)) return false;
      retired++;
      return true;
    });
  }
  return retired / tenants;
}

export function cells(
  effects: readonly number[],
): { readonly rate: number; readonly effect: number; readonly holdout: number }[] {
  return HOLDOUTS.flatMap((holdout) =>
    effects.flatMap((effect) => RATES.map((rate) => ({ rate, effect, holdout }))),
  );
}

export interface Width {
  readonly outcomes: number;
  readonly holdout: number;
  /** Half of the interval's width; and that of the z interval, which is right for a single look only. */
  readonly half: number;
  readonly singleLook: number;
}

/** Intervals of a tenant whose outcomes come out just as expected: 50% when held out, 60% when shown. */
export function width(outcomes: number, holdout: number): Width {
  const heldOut = Math.round(outcomes * holdout);
  const shown = outcomes - heldOut;
  const estimate = estimateEffect([
    {
      propensity: 1 - holdout,
      shown: successesOf(Math.round(shown * 0.6), shown),
      heldOut: successesOf(Math.round(heldOut * 0.5), heldOut),
    },
  ]);
  return {
    outcomes,
    holdout,
    half: (estimate.upper - estimate.lower) / 2,
    singleLook: TWO_SIDED * Math.sqrt(0.24 / shown + 0.25 / heldOut),
  };
}

export interface Restoration {
  readonly effect: number;
  /** Share restored by 5,000 and by 20,000 tasks that it would have been shown in, and the median of the restored. */
  readonly by5000: number;
  readonly by20000: number;
  readonly median: number;
}

/** A retired insight with this effect, shown at the exploration share; the rate without it is 50%. */
export function restoration(effect: number, tenants: number, seed: number): Restoration {
  const random = seeded(seed);
  const restoredAt: number[] = [];
  const world = { rate: 0.5, effect, holdout: 1 - EXPLORATION_SHARE };
  for (let tenant = 0; tenant < tenants; tenant++) {
    live(world, evenLooks(20_000, 400), random, (strata, outcomes) => {
      if (decide("retired", strata).decision !== "restore") return false;
      restoredAt.push(outcomes);
      return true;
    });
  }
  return {
    effect,
    by5000: restoredAt.filter((at) => at <= 5_000).length / tenants,
    by20000: restoredAt.length / tenants,
    median: median(restoredAt),
  };
}

export interface Turns {
  readonly holdout: number;
  readonly covered: number;
  /** Half of the interval's width after 1,000 and 10,000 successes, in turns. */
  readonly half1000: number;
  readonly half10000: number;
}

/** Successes take 3 to 17 turns when held out and one less when shown, of at most 30. */
export function turns(holdout: number, tenants: number, seed: number): Turns {
  const random = seeded(seed);
  const most = 30;
  const world = { rate: 10 / most, effect: -1 / most, holdout, steps: most };
  const halves = new Map<number, number>();
  let covered = 0;
  for (let tenant = 0; tenant < tenants; tenant++) {
    let right = true;
    live(
      world,
      [...new Set([...growingLooks(10, 10_000), 1_000])].sort((a, b) => a - b),
      random,
      (strata, n) => {
        const saved = savedIn(strata, most);
        right &&= saved.lower <= 1 && 1 <= saved.upper;
        if (n === 1_000 || n === 10_000) {
          halves.set(n, (halves.get(n) ?? 0) + (saved.upper - saved.lower) / 2 / tenants);
        }
      },
    );
    if (right) covered++;
  }
  return {
    holdout,
    covered: covered / tenants,
    half1000: halves.get(1_000) ?? NaN,
    half10000: halves.get(10_000) ?? NaN,
  };
}

function savedIn(strata: readonly Stratum[], most: number) {
  const inTurns = (arm: Stratum["shown"]) => ({
    n: arm.n,
    sum: arm.sum * most,
    sumOfSquares: arm.sumOfSquares * most * most,
  });
  const [stratum] = strata;
  if (stratum === undefined) throw new Error("a tenant has at least one stratum");
  return stepsSaved(inTurns(stratum.shown), inTurns(stratum.heldOut), most);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
