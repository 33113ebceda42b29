import { describe, expect, it } from "vitest";
import { type Stratum, successesOf } from "../../src/prove/arms.ts";
import { EXPLORATION_SHARE, decide, leaveOutShare } from "../../src/prove/retire.ts";

function outcomes(propensity: number, shown: [number, number], heldOut: [number, number]): Stratum[] {
  return [{ propensity, shown: successesOf(...shown), heldOut: successesOf(...heldOut) }];
}

describe("an active insight", () => {
  it("stays while nothing is known", () => {
    expect(decide("active", [])).toEqual({ decision: "keep", evidence: 1, bound: 1 });
  });

  it("stays after a few failures, and when it helps", () => {
    expect(decide("active", outcomes(0.9, [2, 9], [1, 1])).decision).toBe("keep");
    expect(decide("active", outcomes(0.5, [700, 1000], [500, 1000])).decision).toBe("keep");
  });

  it("is retired when its effect lies under zero", () => {
    const ruling = decide("active", outcomes(0.5, [400, 1000], [500, 1000]));
    expect(ruling.decision).toBe("retire");
    expect(ruling.bound).toBeLessThan(0);
    expect(ruling.evidence).toBeGreaterThanOrEqual(50);
  });

  it("is retired exactly when the bound of its effect is under zero", () => {
    for (let successes = 400; successes <= 500; successes += 5) {
      const ruling = decide("active", outcomes(0.5, [successes, 1000], [500, 1000]));
      expect(ruling.decision === "retire").toBe(ruling.bound <= 0);
    }
  });

  it("is never retired for what was not left to chance", () => {
    expect(decide("active", outcomes(1, [0, 1000], [1000, 1000])).decision).toBe("keep");
  });

  it("without effect is ever retired, looking after each of 24 outcomes, with less than two in a hundred", () => {
    // Not a simulation: the probability of every table that has not been retired yet, outcome by outcome.
    for (const [rate, propensity] of [
      [0.5, 0.5],
      [0.8, 0.9],
    ] as const) {
      expect(everRetired(rate, propensity, 24)).toBeLessThan(0.02);
    }
  });
});

function everRetired(rate: number, propensity: number, last: number): number {
  let alive = new Map([["0,0,0,0", 1]]);
  let retired = 0;
  for (let outcome = 1; outcome <= last; outcome++) {
    const next = new Map<string, number>();
    for (const [key, probability] of alive) {
      const [n1 = 0, s1 = 0, n0 = 0, s0 = 0] = key.split(",").map(Number);
      for (const [cell, share] of [
        [[n1 + 1, s1 + 1, n0, s0], propensity * rate],
        [[n1 + 1, s1, n0, s0], propensity * (1 - rate)],
        [[n1, s1, n0 + 1, s0 + 1], (1 - propensity) * rate],
        [[n1, s1, n0 + 1, s0], (1 - propensity) * (1 - rate)],
      ] as const) {
        next.set(cell.join(","), (next.get(cell.join(",")) ?? 0) + probability * share);
      }
    }
    alive = new Map();
    for (const [key, probability] of next) {
      const [n1 = 0, s1 = 0, n0 = 0, s0 = 0] = key.split(",").map(Number);
      if (decide("active", outcomes(propensity, [s1, n1], [s0, n0])).decision === "retire") {
        retired += probability;
      } else alive.set(key, probability);
    }
  }
  return retired;
}

describe("a retired insight", () => {
  it("stays retired while nothing new is known, and while it harms", () => {
    expect(decide("retired", []).decision).toBe("keep");
    expect(decide("retired", outcomes(EXPLORATION_SHARE, [40, 100], [950, 1900])).decision).toBe("keep");
  });

  it("comes back when what happened since shows that it helps", () => {
    const ruling = decide("retired", outcomes(EXPLORATION_SHARE, [75, 100], [950, 1900]));
    expect(ruling.decision).toBe("restore");
    expect(ruling.bound).toBeGreaterThan(0);
  });

  it("is still shown now and then, so that something can happen", () => {
    expect(leaveOutShare("retired", 0.1)).toBe(1 - EXPLORATION_SHARE);
    expect(leaveOutShare("active", 0.1)).toBe(0.1);
  });
});
