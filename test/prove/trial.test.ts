import { describe, expect, it } from "vitest";
import { displaced, draw, type Offered, sharesOf } from "../../src/prove/trial.ts";

const offered = (insightId: string, more: Partial<Offered> = {}): Offered => ({
  insightId,
  kind: "workflow",
  retired: false,
  ...more,
});
const ids = Array.from({ length: 4_000 }, (_, i) => `enhancement ${i}`);
const HALF = { holdout: 0.5, leaveOut: 0.2 };

describe("a trial", () => {
  it("leaves nothing to chance without shares, and says so", () => {
    expect(draw("e", sharesOf(0, null), [offered("i")])).toEqual({
      arm: "shown",
      propensity: 1,
      exposures: [
        { insightId: "i", kind: "workflow", shown: true, propensity: 1, counts: false, speaksForKind: false },
      ],
    });
  });

  it("leaves single insights out of a tenth once there is a holdout, unless another share is set", () => {
    expect([sharesOf(0, null), sharesOf(0.2, null), sharesOf(0.2, 0), sharesOf(0, 0.3)]).toEqual([
      { holdout: 0, leaveOut: 0 },
      { holdout: 0.2, leaveOut: 0.1 },
      { holdout: 0.2, leaveOut: 0 },
      { holdout: 0, leaveOut: 0.3 },
    ]);
  });

  it("holds out in the share that is set, and shows nothing then", () => {
    const drawn = ids.map((id) => draw(id, HALF, [offered("i"), offered("j")]));
    const heldOut = drawn.filter(({ arm }) => arm === "held out");
    expect(heldOut.length / ids.length).toBeCloseTo(0.5, 1);
    expect(heldOut.every(({ exposures }) => exposures.every(({ shown }) => !shown))).toBe(true);
  });

  it("lets one insight an enhancement speak for its kind, and no retired one", () => {
    const { exposures } = draw("e", { holdout: 0, leaveOut: 0.2 }, [
      offered("r", { retired: true }),
      offered("a"),
      offered("b"),
      offered("c", { kind: "fact" }),
    ]);
    expect(exposures.filter((one) => one.speaksForKind).map(({ insightId }) => insightId)).toEqual([
      "a",
      "c",
    ]);
  });

  it("shows a retired insight in a twentieth, and takes no part in the comparison where there is no other", () => {
    const drawn = ids.map((id) => draw(id, HALF, [offered("r", { retired: true })]));
    const shown = drawn.filter(({ exposures }) => exposures[0]?.shown);
    expect(shown.length / ids.length).toBeGreaterThan(0.03);
    expect(shown.length / ids.length).toBeLessThan(0.07);
    for (const { arm, propensity, exposures } of drawn) {
      expect(arm).toBe(exposures[0]?.shown ? "shown" : "abstained");
      expect(propensity).toBe(1);
      expect(exposures[0]).toMatchObject({ counts: true, speaksForKind: false });
      expect(exposures[0]?.propensity).toBeCloseTo(0.05);
    }
  });

  it("counts nothing about a plan that made room for another", () => {
    const drawn = displaced(draw("e", { holdout: 0, leaveOut: 0.5 }, [offered("i"), offered("j")]), "i");
    expect(drawn.exposures[0]).toMatchObject({ shown: false, counts: false, speaksForKind: false });
    expect(drawn.exposures[1]).toMatchObject({ counts: true });
  });
});
