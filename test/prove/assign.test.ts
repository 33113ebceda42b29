import { describe, expect, it } from "vitest";
import { assign } from "../../src/prove/assign.ts";

const ids = Array.from({ length: 20_000 }, (_, index) => `0198c0de-${String(index).padStart(8, "0")}`);
const pair = [
  { insightId: "insight-a", leaveOut: 0.2 },
  { insightId: "insight-b", leaveOut: 0.5 },
];

/** Pearson's statistic of counts that should all be equal. */
function chiSquare(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

function histogram(values: readonly number[], bins: number): number[] {
  const counts = Array.from({ length: bins }, () => 0);
  for (const value of values) {
    const bin = Math.floor(value * bins);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}

/** The middle of one of 25 cells for two draws, as a number in [0, 1). */
function cell(a: number, b: number): number {
  return (5 * Math.floor(a * 5) + Math.floor(b * 5) + 0.5) / 25;
}

describe("an assignment", () => {
  const all = ids.map((id) => assign(id, 0.1, pair));

  it("is the same whenever it is made again, whatever else is a candidate and in any order", () => {
    const first = assign("enhancement-1", 0.1, pair);
    expect(assign("enhancement-1", 0.1, pair)).toEqual(first);
    expect(assign("enhancement-1", 0.1, pair.toReversed()).insights.toReversed()).toEqual(first.insights);
  });

  it("does not change from release to release", () => {
    const { draw, insights } = assign("enhancement-1", 0.1, pair);
    expect([draw, ...insights.map((insight) => insight.draw)].map((value) => value.toFixed(6))).toEqual([
      "0.592521",
      "0.457706",
      "0.590588",
    ]);
  });

  it("draws evenly (chi-square, 20 bins, 0.1% level 43.8)", () => {
    expect(
      chiSquare(
        histogram(
          all.map(({ draw }) => draw),
          20,
        ),
      ),
    ).toBeLessThan(43.8);
    for (const index of [0, 1]) {
      expect(
        chiSquare(
          histogram(
            all.map(({ insights }) => insights[index]?.draw ?? 0),
            20,
          ),
        ),
      ).toBeLessThan(43.8);
    }
  });

  it("draws each lot without regard to the others (chi-square, 25 cells, 0.1% level 51.2)", () => {
    const wholeAndOne = all.map(({ draw, insights }) => cell(draw, insights[0]?.draw ?? 0));
    const oneAndOther = all.map(({ insights }) => cell(insights[0]?.draw ?? 0, insights[1]?.draw ?? 0));
    const neighbours = all.map(({ draw }, index) => cell(draw, all[(index + 1) % all.length]?.draw ?? 0));
    for (const values of [wholeAndOne, oneAndOther, neighbours]) {
      expect(chiSquare(histogram(values, 25))).toBeLessThan(51.2);
    }
  });

  it("holds out and leaves out the shares that were asked for", () => {
    const rest = all.filter(({ heldOut }) => !heldOut);
    expect(1 - rest.length / all.length).toBeCloseTo(0.1, 1.8);
    expect(rest.filter(({ insights }) => insights[0]?.shown).length / rest.length).toBeCloseTo(0.8, 1.8);
    expect(rest.filter(({ insights }) => insights[1]?.shown).length / rest.length).toBeCloseTo(0.5, 1.8);
  });

  it("shows nothing of an enhancement that is held out, and counts it for none of several insights", () => {
    const heldOut = all.find((assignment) => assignment.heldOut);
    expect(heldOut?.insights.map(({ shown, counts }) => ({ shown, counts }))).toEqual([
      { shown: false, counts: false },
      { shown: false, counts: false },
    ]);
  });

  it("counts a held-out enhancement for an insight that would have come alone", () => {
    const alone = ids.map((id) => assign(id, 0.1, [{ insightId: "insight-a", leaveOut: 0.2 }]));
    expect(alone.every(({ insights }) => insights[0]?.counts)).toBe(true);
    expect(alone[0]?.insights[0]?.propensity).toBeCloseTo(0.9 * 0.8);
    const shown = alone.filter(({ insights }) => insights[0]?.shown).length;
    expect(shown / alone.length).toBeCloseTo(0.72, 1.8);
  });

  it("leaves nothing to chance and counts nothing when both shares are zero", () => {
    const certain = assign("enhancement-1", 0, [{ insightId: "insight-a", leaveOut: 0 }]);
    expect(certain.heldOut).toBe(false);
    expect(certain.insights[0]).toMatchObject({ shown: true, propensity: 1, counts: false });
  });

  it("holds everything out at a share of one", () => {
    expect(ids.slice(0, 100).every((id) => assign(id, 1, pair).heldOut)).toBe(true);
  });
});
