/** What every Ledger must do. */
import { expect, it } from "vitest";
import {
  type Cell,
  type Division,
  type Enhancement,
  type Exposure,
  MOST_TURNS,
  type Outcome,
} from "../../src/ports/ledger.ts";
import type { Stores } from "./stores.ts";

const HOUR = 3_600_000;
const FIRST_MONDAY = Date.UTC(1969, 11, 29);
const SECOND_MONDAY = Date.UTC(1970, 0, 5);

export function enhancementOf(enhancementId: string, more: Partial<Enhancement> = {}): Enhancement {
  return {
    enhancementId,
    at: 1_000,
    requestHash: "request",
    agentType: "",
    familyId: "f",
    arm: "shown",
    propensity: 0.9,
    exposures: [exposureOf("i1")],
    ...more,
  };
}

function exposureOf(insightId: string, more: Partial<Exposure> = {}): Exposure {
  return {
    insightId,
    kind: "workflow",
    shown: true,
    propensity: 0.9,
    counts: true,
    speaksForKind: true,
    ...more,
  };
}

export function outcomeOf(score: number, more: Partial<Outcome> = {}): Outcome {
  return { score, turns: null, at: 2_000, source: "feedback", note: null, ...more };
}

export function ledgerContract(open: () => Promise<Stores>): void {
  async function started() {
    const { ledger, keys } = await open();
    for (const tenant of ["a", "b"]) await keys.createTenant(tenant, { name: tenant, createdAt: 1 });
    const sums = async (division: Division = { by: "tenant" }, tenant = "a") =>
      (await ledger.cells(tenant, division)).map(short);
    return { ledger, keys, sums };
  }

  const short = ({ key, inferred, propensity, shown, n, sum }: Cell) =>
    `${key}${inferred ? " inferred" : ""} ${shown ? "shown" : "held out"} at ${propensity}: ${sum} of ${n}`;

  it("counts an outcome by the arm and the probability of its enhancement, from the next call on", async () => {
    const { ledger, sums } = await started();
    ledger.record("a", enhancementOf("e1"));
    ledger.record("a", enhancementOf("e2", { arm: "held out" }));
    ledger.record("a", enhancementOf("e3", { propensity: 0.5 }));
    ledger.record("a", enhancementOf("never told"));
    expect(await ledger.tell("a", "e1", outcomeOf(1))).toBe("counted");
    expect(await ledger.tell("a", "e2", outcomeOf(0))).toBe("counted");
    expect(await ledger.tell("a", "e3", outcomeOf(0.5))).toBe("counted");
    expect(await sums()).toEqual([
      " shown at 0.5: 0.5 of 1",
      " held out at 0.9: 0 of 1",
      " shown at 0.9: 1 of 1",
    ]);
    const [half] = await ledger.cells("a", { by: "tenant" });
    expect(half?.sumOfSquares).toBe(0.25);
  });

  it("knows no enhancement that was never made, is another tenant's or has expired", async () => {
    const { ledger, sums } = await started();
    ledger.record("b", enhancementOf("theirs"));
    ledger.record("a", enhancementOf("old", { at: 10 }));
    ledger.record("a", enhancementOf("young", { at: 20 }));
    await ledger.tell("a", "old", outcomeOf(1));
    await ledger.expireAcrossTenants(20);
    expect(await ledger.tell("a", "old", outcomeOf(1))).toBe("unknown");
    expect(await ledger.tell("a", "theirs", outcomeOf(1))).toBe("unknown");
    expect(await ledger.tell("a", "none", outcomeOf(1))).toBe("unknown");
    expect(await ledger.infer("a", "request", outcomeOf(1, { at: 9 }))).toBe(false);
    expect(await sums()).toEqual([]);
    expect(await sums({ by: "insight" })).toEqual([]);
    expect(await ledger.tell("a", "young", outcomeOf(1))).toBe("counted");
    expect(await sums({ by: "tenant" }, "b")).toEqual([]);
  });

  it("counts an outcome once however often it is sent, and the one told last where they contradict", async () => {
    const { ledger, sums } = await started();
    ledger.record("a", enhancementOf("e1"));
    await ledger.tell("a", "e1", outcomeOf(1, { at: 5, turns: 4 }));
    expect(await ledger.tell("a", "e1", outcomeOf(1, { at: 6 }))).toBe("repeated");
    expect(await ledger.tell("a", "e1", outcomeOf(0, { at: 9 }))).toBe("replaced");
    expect(await ledger.tell("a", "e1", outcomeOf(1, { at: 8 }))).toBe("outdated");
    expect(await sums()).toEqual([" shown at 0.9: 0 of 1"]);
    expect(await sums({ by: "insight" })).toEqual(["i1 shown at 0.9: 0 of 1"]);
  });

  it("infers an outcome from the same request within the hour, newest first, each enhancement once", async () => {
    const { ledger, sums } = await started();
    ledger.record("a", enhancementOf("first", { at: HOUR }));
    ledger.record("a", enhancementOf("second", { at: HOUR + 10, arm: "held out" }));
    const at = HOUR + 20;
    expect(await ledger.infer("a", "another request", outcomeOf(1, { at }))).toBe(false);
    expect(await ledger.infer("b", "request", outcomeOf(1, { at }))).toBe(false);
    expect(await ledger.infer("a", "request", outcomeOf(1, { at: HOUR - 1 }))).toBe(false);
    expect(await ledger.infer("a", "request", outcomeOf(1, { at: 2 * HOUR + 11 }))).toBe(false);
    expect(await ledger.infer("a", "request", outcomeOf(0, { at, source: "j1" }))).toBe(true);
    expect(await ledger.infer("a", "request", outcomeOf(0, { at, source: "j1" }))).toBe(false);
    expect(await sums()).toEqual([" inferred held out at 0.9: 0 of 1"]);
    expect(await ledger.infer("a", "request", outcomeOf(1, { at, source: "j2" }))).toBe(true);
    expect(await ledger.infer("a", "request", outcomeOf(1, { at, source: "j3" }))).toBe(false);
  });

  it("lets an explicit outcome beat an inferred one, and not the other way round", async () => {
    const { ledger, sums } = await started();
    ledger.record("a", enhancementOf("e1"));
    await ledger.infer("a", "request", outcomeOf(1, { source: "j1" }));
    expect(await ledger.tell("a", "e1", outcomeOf(0, { at: 1_500 }))).toBe("replaced");
    expect(await ledger.infer("a", "request", outcomeOf(1, { source: "j2" }))).toBe(false);
    expect(await sums()).toEqual([" shown at 0.9: 0 of 1"]);
  });

  it("divides by agent type, family and week", async () => {
    const { ledger, sums } = await started();
    ledger.record("a", enhancementOf("e1", { agentType: "browser", familyId: "f1" }));
    ledger.record("a", enhancementOf("e2", { agentType: "browser", familyId: "f2" }));
    ledger.record("a", enhancementOf("e3", { agentType: "voice", familyId: "f2", at: SECOND_MONDAY }));
    for (const id of ["e1", "e2", "e3"]) await ledger.tell("a", id, outcomeOf(1, { at: SECOND_MONDAY + 9 }));
    expect(await sums({ by: "agent type" })).toEqual([
      "browser shown at 0.9: 2 of 2",
      "voice shown at 0.9: 1 of 1",
    ]);
    expect(await sums({ by: "family" })).toEqual(["f1 shown at 0.9: 1 of 1", "f2 shown at 0.9: 2 of 2"]);
    expect(await sums({ by: "week" })).toEqual([
      `${FIRST_MONDAY} shown at 0.9: 2 of 2`,
      `${SECOND_MONDAY} shown at 0.9: 1 of 1`,
    ]);
    expect(await ledger.coverage("a")).toEqual([
      { week: FIRST_MONDAY, arm: "shown", enhancements: 2, outcomes: 2 },
      { week: SECOND_MONDAY, arm: "shown", enhancements: 1, outcomes: 1 },
    ]);
  });

  it("divides by insight and kind what counts, since a moment if asked, and what was only observed apart", async () => {
    const { ledger, sums } = await started();
    const exposures = [
      exposureOf("i1", { shown: false }),
      exposureOf("i2", { kind: "fact", propensity: 0.5 }),
      exposureOf("i3", { kind: "fact", speaksForKind: false }),
      exposureOf("i4", { counts: false, speaksForKind: false, propensity: 1 }),
    ];
    ledger.record("a", enhancementOf("e1", { exposures }));
    ledger.record("a", enhancementOf("e2", { at: 1_001 }));
    await ledger.tell("a", "e1", outcomeOf(1));
    await ledger.tell("a", "e2", outcomeOf(0));
    expect(await sums({ by: "insight" })).toEqual([
      "i1 held out at 0.9: 1 of 1",
      "i1 shown at 0.9: 0 of 1",
      "i2 shown at 0.5: 1 of 1",
      "i3 shown at 0.9: 1 of 1",
    ]);
    expect(await sums({ by: "insight", since: 1_001 })).toEqual(["i1 shown at 0.9: 0 of 1"]);
    expect(await sums({ by: "insight", insightId: "i2" })).toEqual(["i2 shown at 0.5: 1 of 1"]);
    expect(await sums({ by: "insight", observed: true })).toEqual(["i4 shown at 1: 1 of 1"]);
    expect(await sums({ by: "kind" })).toEqual([
      "fact shown at 0.5: 1 of 1",
      "workflow held out at 0.9: 1 of 1",
      "workflow shown at 0.9: 0 of 1",
    ]);
  });

  it("counts turns among successes, up to a largest number", async () => {
    const { ledger } = await started();
    for (const id of ["e1", "e2", "e3", "e4"]) ledger.record("a", enhancementOf(id));
    await ledger.tell("a", "e1", outcomeOf(1, { turns: 3 }));
    await ledger.tell("a", "e2", outcomeOf(1, { turns: 9_999 }));
    await ledger.tell("a", "e3", outcomeOf(0, { turns: 7 }));
    await ledger.tell("a", "e4", outcomeOf(1));
    const [cell] = await ledger.cells("a", { by: "tenant" });
    expect(cell?.turns).toEqual({ n: 2, sum: 3 + MOST_TURNS, sumOfSquares: 9 + MOST_TURNS ** 2 });
  });

  it("counts what had nothing to show in no comparison, only in the coverage", async () => {
    const { ledger, sums } = await started();
    ledger.record("a", enhancementOf("e1", { arm: "abstained", exposures: [], propensity: 1 }));
    expect(await ledger.tell("a", "e1", outcomeOf(1))).toBe("counted");
    expect(await sums()).toEqual([]);
    expect(await ledger.coverage("a")).toEqual([
      { week: FIRST_MONDAY, arm: "abstained", enhancements: 1, outcomes: 1 },
    ]);
  });

  it("keeps rulings and notes, newest first", async () => {
    const { ledger } = await started();
    await ledger.rule("a", { at: 1, insightId: "i", decision: "retire", why: "it harms" });
    await ledger.rule("a", { at: 2, insightId: "i", decision: "restore", why: "it helps" });
    expect(await ledger.rulings("a", 1)).toEqual([
      { at: 2, insightId: "i", decision: "restore", why: "it helps" },
    ]);
    expect(await ledger.rulings("b", 9)).toEqual([]);
    ledger.record("a", enhancementOf("e1"));
    await ledger.tell("a", "e1", outcomeOf(0, { at: 7, note: "wrong form" }));
    expect(await ledger.notes("a", 9)).toEqual([
      { at: 7, enhancementId: "e1", score: 0, note: "wrong form" },
    ]);
  });

  it("is erased with its tenant, and records nothing for one that is gone", async () => {
    const { ledger, keys, sums } = await started();
    ledger.record("a", enhancementOf("e1"));
    await ledger.tell("a", "e1", outcomeOf(1));
    await ledger.rule("a", { at: 1, insightId: "i", decision: "retire", why: "it harms" });
    await keys.removeTenant("a");
    ledger.record("a", enhancementOf("e2"));
    expect(await ledger.tell("a", "e2", outcomeOf(1))).toBe("unknown");
    expect([await sums(), await ledger.coverage("a"), await ledger.rulings("a", 9)]).toEqual([[], [], []]);
  });
}
