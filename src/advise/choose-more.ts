/** What helps beside the plan: facts about the things asked for, steps that make the difference, errors and their ways out. */
import type { InsightStructure, Step, Support } from "../domain/insight.ts";
import { keyOf } from "../domain/plan.ts";
import type { CountedInsight } from "../ports/store.ts";
import type { UtilityOf } from "./choose-plan.ts";

export interface Remark {
  readonly counted: CountedInsight;
  readonly score: number;
}

const MOST_FACTS = 2;
const MOST_ADVICE = 2;
const MOST_WARNINGS = 3;

/** `plan` is shown already: a remark that only says to follow it adds nothing. */
export function chooseMore(
  insights: readonly CountedInsight[],
  plan: readonly Step[],
  utilityOf: UtilityOf,
): { toKnow: Remark[]; toDo: Remark[]; toAvoid: Remark[] } {
  const once = [...new Map(insights.map((one) => [one.insight.insightId, one])).values()];
  const pick = (
    kinds: readonly InsightStructure["kind"][],
    most: number,
    worth: (one: CountedInsight) => number,
  ): Remark[] =>
    once
      .filter(({ insight }) => kinds.includes(insight.kind))
      .map((counted) => ({ counted, score: worth(counted) * factorOf(utilityOf(counted)) }))
      .filter(({ score }) => score > 0)
      .sort(
        (a, b) => b.score - a.score || (a.counted.insight.insightId < b.counted.insight.insightId ? -1 : 1),
      )
      .slice(0, most);
  const inPlan = new Set(plan.map(keyOf));
  const recoveries = pick(["recovery"], MOST_WARNINGS, corroboration);
  const solved = new Set(recoveries.map(({ counted: { insight } }) => problemOf(insight.structure)));
  const pitfalls = pick(["pitfall"], MOST_WARNINGS, corroboration).filter(
    ({ counted: { insight } }) => !solved.has(problemOf(insight.structure)),
  );
  return {
    toKnow: pick(["fact"], MOST_FACTS, (one) => (isPlace(one) ? 1 - 1 / (1 + total(one)) : 0)),
    toDo: pick(["contrast", "precondition"], MOST_ADVICE, (one) =>
      isInPlan(one, inPlan) ? 0 : corroboration(one),
    ),
    toAvoid: [...recoveries, ...pitfalls].slice(0, MOST_WARNINGS),
  };
}

/** Proof moves a remark's place; it never silences one by itself, for that is what retiring is for. */
function factorOf(utility: number): number {
  return 1 + Math.max(-0.5, Math.min(0.5, utility));
}

function isInPlan({ insight: { structure } }: CountedInsight, inPlan: ReadonlySet<string>): boolean {
  return structure.kind === "contrast" && inPlan.has(structure.step);
}

/** Where a thing is found; what a step is done with stands in the plan already. */
export function isPlace({ insight: { structure } }: CountedInsight): boolean {
  return structure.kind === "fact" && structure.relation === "found at";
}

function problemOf(structure: InsightStructure): string {
  return structure.kind === "pitfall" || structure.kind === "recovery"
    ? `${structure.step} ${structure.error}`
    : "";
}

/** Nothing for what was seen once; towards 1 for what many runs agree on and few speak against. */
function corroboration(one: CountedInsight): number {
  const inFavour = total(one);
  return inFavour < 2 ? 0 : (inFavour / (inFavour + one.against + 1)) * (1 - 1 / (1 + inFavour));
}

function total({ support, unknown }: { readonly support: Support; readonly unknown: number }): number {
  return support.succeeded + support.failed + unknown;
}
