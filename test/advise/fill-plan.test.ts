import { describe, expect, it } from "vitest";
import { fillPlan, type Known } from "../../src/advise/fill-plan.ts";
import type { Step } from "../../src/domain/insight.ts";

const role = (name: string, gap: number | null = null, value: string | null = null) => ({ name, gap, value });
const step = (text: string, roles: Step["roles"]): Step => ({
  text,
  verb: text.split(/[ (]/)[0] ?? "",
  repeated: false,
  roles,
});
const known: Known = {
  about: () => [],
  things: [],
  steps: [],
  succeeded: 0,
  planGaps: 1,
  borrowed: false,
  named: [],
};

describe("a plan for a new request", () => {
  const refund = [
    step("get_order(id={1})", { 1: role("id", 0) }),
    step("refund(order={1}, reason={2})", { 1: role("order", 0), 2: role("reason") }),
  ];

  it("takes the request's values where it has as many gaps, and names what stays open", () => {
    expect(fillPlan(refund, ["A-5120"], known)).toEqual([
      "get_order(id=A-5120)",
      "refund(order=A-5120, reason=[reason])",
    ]);
    expect(fillPlan(refund, ["A-5120", "B-1"], known)).toEqual([
      "get_order(id=[id])",
      "refund(order=[order], reason=[reason])",
    ]);
  });

  it("takes a value as it stands, whatever it looks like", () => {
    expect(fillPlan(refund, ["x$&y"], known)[0]).toBe("get_order(id=x$&y)");
    expect(fillPlan(refund, ["{2}"], known)[1]).toBe("refund(order={2}, reason=[reason])");
  });

  it("leaves a preposition out with what would follow it, and says what the request named", () => {
    const steps = [
      step("take {1} from {2}", { 1: role("object", 0), 2: role("from") }),
      step("put {1} in/on {3}", { 1: role("object", 0), 3: role("in/on", 1) }),
    ];
    expect(fillPlan(steps, ["mug"], { ...known, planGaps: 1 })).toEqual([
      "take mug",
      "put mug in/on [what was asked for]",
    ]);
  });

  it("leaves out steps that hardly a success took, and marks those that only some took", () => {
    const steps = ["wave", "look", "act"].map((verb) => step(`${verb} {1}`, { 1: role("object", 0) }));
    const tally = (verb: string, succeeded: number) => ({
      key: `${verb} object`,
      succeeded,
      failed: 0,
      unknown: 0,
    });
    const counted = {
      ...known,
      steps: [tally("wave", 1), tally("look", 5), tally("act", 10)],
      succeeded: 10,
    };
    expect(fillPlan(steps, ["it"], counted)).toEqual(["look it (not always needed)", "act it"]);
  });
});
