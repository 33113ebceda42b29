import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Stratum, noOutcomes, successesOf } from "../../src/prove/arms.ts";
import { kindPrior, utility } from "../../src/prove/utility.ts";

function drawn(shown: [number, number], heldOut: [number, number]): Stratum[] {
  return [{ propensity: 0.5, shown: successesOf(...shown), heldOut: successesOf(...heldOut) }];
}

describe("the utility of an insight", () => {
  it("is zero when nothing is known of it or its kind", () => {
    expect(utility([])).toEqual({ value: 0, basis: "nothing" });
  });

  it("is its kind's mean when nothing is known of itself", () => {
    expect(utility([], null, { mean: 0.04, spread: 0.05 })).toEqual({ value: 0.04, basis: "kind" });
  });

  it("goes from the kind's mean to its own difference as outcomes come in", () => {
    const kind = { mean: 0.04, spread: 0.1 };
    const after = (n: number) => utility(drawn([0.7 * n, n], [0.5 * n, n]), null, kind).value;
    expect(after(10)).toBeGreaterThan(0.04);
    expect(after(10)).toBeLessThan(0.09);
    expect(after(100)).toBeGreaterThan(after(10));
    expect(after(100_000)).toBeCloseTo(0.2, 2);
  });

  it("rises with every success when shown and falls with every one when held out", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 60 }),
        fc.nat(),
        fc.nat(),
        (n1, n0, a, b) => {
          const [s1, s0] = [a % n1, b % n0];
          const now = utility(drawn([s1, n1], [s0, n0])).value;
          expect(utility(drawn([s1 + 1, n1], [s0, n0])).value).toBeGreaterThan(now);
          expect(utility(drawn([s1, n1], [s0 + 1, n0])).value).toBeLessThan(now);
        },
      ),
      { seed: 2, numRuns: 500 },
    );
  });

  it("uses what was merely observed only while nothing was drawn by lot, weakly, and says so", () => {
    const observed = { shown: successesOf(9000, 10_000), without: successesOf(5000, 10_000) };
    const seen = utility([], observed);
    expect(seen.basis).toBe("observed");
    expect(seen.value).toBeGreaterThan(0);
    expect(seen.value).toBeLessThan(0.2 * 0.4 + 1e-9);
    const proven = utility(drawn([5, 10], [5, 10]), observed);
    expect(proven).toEqual({ value: 0, basis: "randomised" });
  });

  it("does not take outcomes for drawn by lot when one arm is empty or nothing was left to chance", () => {
    const observed = { shown: successesOf(8, 10), without: successesOf(5, 10) };
    expect(
      utility([{ propensity: 0.9, shown: successesOf(9, 9), heldOut: noOutcomes }], observed).basis,
    ).toBe("observed");
    expect(
      utility([{ propensity: 1, shown: successesOf(9, 9), heldOut: successesOf(1, 9) }], observed).basis,
    ).toBe("observed");
  });
});

describe("what a kind is worth", () => {
  it("is not known without insights", () => {
    expect(kindPrior([])).toBeNull();
  });

  it("is drawn to zero while its insights have few outcomes, and reaches their mean with many", () => {
    const few = kindPrior([{ value: 0.2, weight: 3 }]);
    expect(few?.mean).toBeGreaterThan(0);
    expect(few?.mean).toBeLessThan(0.05);
    const many = kindPrior(Array.from({ length: 200 }, () => ({ value: 0.1, weight: 2000 })));
    expect(many?.mean).toBeCloseTo(0.1, 2);
  });

  it("is narrow for insights that agree and wide for those that do not", () => {
    const alike = kindPrior(Array.from({ length: 50 }, () => ({ value: 0.1, weight: 2000 })));
    const apart = kindPrior(
      Array.from({ length: 50 }, (_, index) => ({ value: index % 2 === 0 ? 0.3 : -0.2, weight: 2000 })),
    );
    expect(alike?.spread).toBeLessThan(0.05);
    expect(apart?.spread).toBeGreaterThan(0.2);
  });
});
