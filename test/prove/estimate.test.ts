import { describe, expect, it } from "vitest";
import { type Arm, type Stratum, noOutcomes, successesOf } from "../../src/prove/arms.ts";
import { costOfHoldingOut, estimateEffect, phrase, verdict } from "../../src/prove/estimate.ts";
import { armsFitTheirShares } from "../../src/prove/missing.ts";
import { stepsSaved } from "../../src/prove/steps.ts";

function half(shown: number, heldOut: number, each: number): Stratum[] {
  return [{ propensity: 0.5, shown: successesOf(shown, each), heldOut: successesOf(heldOut, each) }];
}

function turns(n: number, mean: number, spread: number): Arm {
  return { n, sum: n * mean, sumOfSquares: n * (mean * mean + spread * spread) };
}

function nineToOne(shown: number, heldOut: number): Stratum[] {
  return [{ propensity: 0.9, shown: successesOf(0, shown), heldOut: successesOf(0, heldOut) }];
}

describe("the effect of being shown", () => {
  it("is not known before anything was seen", () => {
    const estimate = estimateEffect([]);
    expect(estimate).toEqual({ shown: 0, heldOut: 0, difference: null, lower: -1, upper: 1 });
    expect(phrase(estimate)).toBe("not known yet");
  });

  it("is not known from a handful of outcomes, however clear they look", () => {
    const estimate = estimateEffect(half(4, 1, 5));
    expect(estimate.difference).toBeCloseTo(0.6);
    expect(estimate.upper - estimate.lower).toBeGreaterThan(1);
    expect(phrase(estimate)).toBe("not known yet");
  });

  it("is not known while one arm is empty", () => {
    const estimate = estimateEffect([{ propensity: 0.9, shown: successesOf(9, 10), heldOut: noOutcomes }]);
    expect(estimate.difference).toBeNull();
    expect(phrase(estimate)).toBe("not known yet");
  });

  it("ignores outcomes where nothing was left to chance", () => {
    const known = half(300, 250, 500);
    const shownToAll = { propensity: 1, shown: successesOf(900, 1000), heldOut: noOutcomes };
    expect(estimateEffect([...known, shownToAll])).toEqual(estimateEffect(known));
  });

  it("is told in words and points once it is known", () => {
    expect(phrase(estimateEffect(half(1400, 1000, 2000)))).toMatch(
      /^helps: \+20 points \(between \+1\d.* and \+2\d.*\)$/,
    );
    expect(phrase(estimateEffect(half(1000, 1400, 2000)))).toMatch(
      /^harms: -20 points \(between -2\d.* and -1\d.*\)$/,
    );
    expect(phrase(estimateEffect(half(5000, 5000, 10_000)))).toMatch(/^no difference seen: 0 points/);
  });

  it("turns round when the arms are exchanged", () => {
    const one = estimateEffect([
      { propensity: 0.9, shown: successesOf(500, 900), heldOut: successesOf(40, 100) },
    ]);
    const other = estimateEffect([
      { propensity: 0.1, shown: successesOf(40, 100), heldOut: successesOf(500, 900) },
    ]);
    expect(other.lower).toBeCloseTo(-one.upper, 3);
    expect(other.upper).toBeCloseTo(-one.lower, 3);
  });
});

describe("the verdict", () => {
  it.each([
    [0.01, 0.2, "helps"],
    [-0.2, -0.01, "harms"],
    [-0.02, 0.03, "no difference seen"],
    [-0.02, 0.2, "not known yet"],
    [-1, 1, "not known yet"],
    [0, 0.3, "not known yet"],
  ])("of an effect between %f and %f is %s", (lower, upper, word) => {
    expect(verdict({ lower, upper })).toBe(word);
  });
});

describe("the cost of holding out", () => {
  it("is the effect times the tasks held out, with the effect's interval", () => {
    const estimate = { shown: 900, heldOut: 100, difference: 0.1, lower: 0.02, upper: 0.18 };
    expect(costOfHoldingOut(estimate)).toEqual({ heldOut: 100, successesForgone: 10, lower: 2, upper: 18 });
    expect(costOfHoldingOut(estimate, 150).successesForgone).toBeCloseTo(15);
  });

  it("is no number while the effect is none", () => {
    expect(costOfHoldingOut(estimateEffect([]), 40)).toEqual({
      heldOut: 40,
      successesForgone: null,
      lower: -40,
      upper: 40,
    });
  });
});

describe("turns saved among successes", () => {
  it("are the difference of the means, known once both arms are large", () => {
    const saved = stepsSaved(turns(3000, 8, 3), turns(3000, 10, 3), 40);
    expect(saved.saved).toBeCloseTo(2);
    expect(saved.lower).toBeGreaterThan(1);
    expect(saved.upper).toBeLessThan(3);
  });

  it("are anything at all before there are successes", () => {
    expect(stepsSaved(noOutcomes, noOutcomes, 40)).toEqual({
      shown: 0,
      heldOut: 0,
      saved: null,
      lower: -40,
      upper: 40,
    });
  });
});

describe("outcomes that go missing", () => {
  it("are noticed when an arm is far smaller than its share", () => {
    expect(armsFitTheirShares(nineToOne(900, 40))).toBe(false);
    expect(armsFitTheirShares(nineToOne(450, 100))).toBe(false);
  });

  it("are not suspected when the arms are as drawn, or few", () => {
    expect(armsFitTheirShares([])).toBe(true);
    expect(armsFitTheirShares(nineToOne(20, 0))).toBe(true);
    expect(armsFitTheirShares(nineToOne(9000, 1000))).toBe(true);
    expect(armsFitTheirShares(nineToOne(905, 95))).toBe(true);
  });
});
