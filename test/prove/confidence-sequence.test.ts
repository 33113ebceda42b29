import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Stratum, successesOf } from "../../src/prove/arms.ts";
import {
  type Prior,
  logEvidenceAgainstAtLeast,
  logEvidenceAgainstAtMost,
  lowerBound,
  meanBounds,
  upperBound,
} from "../../src/prove/confidence-sequence.ts";

const prior: Prior = {
  rates: [0.2, 0.5, 0.8],
  distances: [
    { size: 0.05, weight: 1 },
    { size: 0.2, weight: 2 },
  ],
};

function table(propensity: number, shown: [number, number], heldOut: [number, number]): Stratum {
  return { propensity, shown: successesOf(...shown), heldOut: successesOf(...heldOut) };
}

/** All tables after `n` outcomes, each with its probability; the rate may be another for every outcome. */
function everyTable(rates: readonly number[], effect: number, propensity: number) {
  let tables = new Map([["0,0,0,0", 1]]);
  for (const rate of rates) {
    const next = new Map<string, number>();
    for (const [key, probability] of tables) {
      const [n1 = 0, s1 = 0, n0 = 0, s0 = 0] = key.split(",").map(Number);
      const add = (cell: readonly number[], share: number) =>
        next.set(cell.join(","), (next.get(cell.join(",")) ?? 0) + probability * share);
      add([n1 + 1, s1 + 1, n0, s0], propensity * (rate + effect));
      add([n1 + 1, s1, n0, s0], propensity * (1 - rate - effect));
      add([n1, s1, n0 + 1, s0 + 1], (1 - propensity) * rate);
      add([n1, s1, n0 + 1, s0], (1 - propensity) * (1 - rate));
    }
    tables = next;
  }
  return [...tables].map(([key, probability]) => {
    const [n1 = 0, s1 = 0, n0 = 0, s0 = 0] = key.split(",").map(Number);
    return { stratum: table(propensity, [s1, n1], [s0, n0]), probability };
  });
}

function expectedEvidence(
  rates: readonly number[],
  effect: number,
  propensity: number,
  claim: number,
): number {
  return everyTable(rates, effect, propensity).reduce(
    (sum, { stratum, probability }) =>
      sum + probability * Math.exp(logEvidenceAgainstAtLeast(claim, [stratum], prior)),
    0,
  );
}

describe("the evidence against a claim", () => {
  it.each([0.1, 0.5, 0.9])(
    "is worth exactly 1 on average if the claim is just true, propensity %f",
    (propensity) => {
      for (const effect of [-0.3, 0, 0.2]) {
        expect(expectedEvidence([0.4, 0.4, 0.4, 0.4, 0.4, 0.4], effect, propensity, effect)).toBeCloseTo(
          1,
          9,
        );
      }
    },
  );

  it("is worth exactly 1 also while the tasks get easier", () => {
    expect(expectedEvidence([0.1, 0.3, 0.5, 0.6, 0.7, 0.9], 0, 0.9, 0)).toBeCloseTo(1, 9);
  });

  it("is worth less than 1 if the claim is true with room to spare, and more if it is false", () => {
    const rates = [0.4, 0.4, 0.4, 0.4, 0.4, 0.4];
    expect(expectedEvidence(rates, 0.2, 0.9, 0)).toBeLessThan(1);
    expect(expectedEvidence(rates, -0.2, 0.9, 0)).toBeGreaterThan(1);
  });

  it("rises with the claim, so that the claims not given up are an interval", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0.05, 0.1, 0.5, 0.9, 0.95),
        fc.nat(500),
        fc.nat(500),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (propensity, n1, n0, a, b) => {
          const stratum = table(propensity, [Math.round(a * n1), n1], [Math.round(b * n0), n0]);
          let before = -Infinity;
          for (let claim = -0.95; claim < 0.96; claim += 0.05) {
            const now = logEvidenceAgainstAtLeast(claim, [stratum], prior);
            expect(now).toBeGreaterThanOrEqual(before - 1e-9);
            before = now;
          }
        },
      ),
      { seed: 1, numRuns: 300 },
    );
  });

  it("is the same for the mirrored question", () => {
    expect(logEvidenceAgainstAtMost(0.1, [table(0.9, [70, 90], [3, 10])], prior)).toBeCloseTo(
      logEvidenceAgainstAtLeast(-0.1, [table(0.1, [3, 10], [70, 90])], prior),
      12,
    );
  });

  it("is 1 without outcomes and without chance", () => {
    expect(logEvidenceAgainstAtLeast(0, [], prior)).toBeCloseTo(0, 12);
    expect(logEvidenceAgainstAtLeast(0, [table(1, [5, 100], [0, 0])], prior)).toBeCloseTo(0, 12);
  });

  it("is never larger for scores in between than for the successes and failures they are the mean of", () => {
    const graded = { n: 100, sum: 40, sumOfSquares: 25 };
    const held = successesOf(30, 50);
    const exact = table(0.7, [40, 100], [30, 50]);
    const blurred = { propensity: 0.7, shown: graded, heldOut: held };
    expect(upperBound([blurred], 0.05, prior)).toBeLessThanOrEqual(upperBound([exact], 0.05, prior));
  });
});

describe("the bounds", () => {
  it("say nothing before there is an outcome", () => {
    expect(upperBound([], 0.05, prior)).toBe(1);
    expect(lowerBound([], 0.05, prior)).toBe(-1);
  });

  it("are just where the evidence reaches its threshold", () => {
    const strata = [table(0.9, [400, 900], [60, 100])];
    const bound = upperBound(strata, 0.05, prior);
    expect(logEvidenceAgainstAtLeast(bound, strata, prior)).toBeGreaterThanOrEqual(Math.log(20));
    expect(logEvidenceAgainstAtLeast(bound - 2e-4, strata, prior)).toBeLessThan(Math.log(20));
  });

  it("do not take a change of the tasks for an effect when the share was changed with it", () => {
    // 30% succeed while a tenth is held out, then 70% while half is: pooled, the held out look much better.
    const strata = [table(0.9, [270, 900], [30, 100]), table(0.5, [350, 500], [350, 500])];
    expect(lowerBound(strata, 0.025, prior)).toBeLessThan(0);
    expect(upperBound(strata, 0.025, prior)).toBeGreaterThan(0);
  });
});

describe("the bounds of a mean", () => {
  it("hold the mean and tighten with outcomes", () => {
    const few = meanBounds({ n: 20, sum: 6, sumOfSquares: 2 }, 0.05);
    const many = meanBounds({ n: 2000, sum: 600, sumOfSquares: 200 }, 0.05);
    for (const { lower, upper } of [few, many]) {
      expect(lower).toBeLessThan(0.3);
      expect(upper).toBeGreaterThan(0.3);
    }
    expect(many.upper - many.lower).toBeLessThan((few.upper - few.lower) / 4);
  });

  it("are tighter for values that vary less", () => {
    const wide = meanBounds({ n: 500, sum: 150, sumOfSquares: 150 }, 0.05);
    const narrow = meanBounds({ n: 500, sum: 150, sumOfSquares: 47 }, 0.05);
    expect(narrow.upper - narrow.lower).toBeLessThan((wide.upper - wide.lower) / 2);
  });

  it("say nothing before there is a value", () => {
    expect(meanBounds({ n: 0, sum: 0, sumOfSquares: 0 }, 0.05)).toEqual({ lower: 0, upper: 1 });
  });
});
