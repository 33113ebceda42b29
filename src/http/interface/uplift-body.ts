/** What is known about the worth of advice, as the interface shapes it. Shares of 1; turns in turns. */
import type { HoldoutCost, Interval } from "../../prove/estimate.ts";
import type { StepsSaved } from "../../prove/steps.ts";
import type { Apart, Judged, Uplift } from "../../prove/uplift.ts";

export function upliftBody(uplift: Uplift): Record<string, unknown> {
  return {
    as_of: new Date(uplift.asOf).toISOString(),
    overall: {
      ...apart(uplift, ({ overall }) => overall, judged),
      steps_saved: apart(uplift, (one) => one.stepsSaved, steps),
      cost_of_holding_out: cost(uplift.costOfHoldingOut),
    },
    by_agent_type: uplift.byAgentType.map((one) => ({
      agent_type: one.agentType === "" ? null : one.agentType,
      ...both(one),
    })),
    by_family: uplift.byFamily.map((one) => ({
      family_id: one.familyId,
      applies_when: one.appliesWhen,
      ...both(one),
    })),
    by_insight: uplift.byInsight.map((one) => ({
      insight_id: one.insightId,
      kind: one.kind,
      applies_when: one.appliesWhen,
      status: one.status,
      ...both(one),
    })),
    by_kind: uplift.byKind.map((one) => ({ kind: one.kind, ...both(one) })),
    by_week: uplift.byWeek.map((one) => ({ week: new Date(one.week).toISOString(), ...both(one) })),
  };
}

function apart<T>(uplift: Uplift, of: (uplift: Uplift) => Apart<T>, write: (one: T) => unknown) {
  const { explicit, inferred } = of(uplift);
  return { explicit: write(explicit), inferred: write(inferred) };
}

function both({ explicit, inferred }: Apart<Judged>) {
  return { explicit: judged(explicit), inferred: judged(inferred) };
}

function judged(one: Judged) {
  return {
    shown: one.shown,
    held_out: one.heldOut,
    difference: rounded(one.difference),
    ...interval(one),
    verdict: one.verdict,
    words: one.words,
    arms_fit_their_shares: one.armsFit,
  };
}

function steps(one: StepsSaved) {
  return { shown: one.shown, held_out: one.heldOut, saved: rounded(one.saved), ...interval(one) };
}

function cost(one: HoldoutCost & { readonly basis: string }) {
  return {
    basis: one.basis,
    held_out: one.heldOut,
    successes_forgone: rounded(one.successesForgone),
    ...interval(one),
  };
}

function interval({ lower, upper }: Interval) {
  return { lower: rounded(lower), upper: rounded(upper) };
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1e4) / 1e4;
}
