/** What helps beside the plan: facts about the things asked for, steps that make the difference, errors and their ways out. */
import type { InsightStructure, Step, Support } from "../domain/insight.ts";
import { keyOf } from "../domain/plan.ts";
import { topics } from "../domain/topics.ts";
import type { CountedInsight } from "../ports/store.ts";
import type { Plan, UtilityOf } from "./choose-plan.ts";

export interface Remark {
  readonly counted: CountedInsight;
  readonly score: number;
}

const MOST_FACTS = 2;
const MOST_ADVICE = 2;
const MOST_WARNINGS = 3;

/** Facts, advice, ways out of errors and warnings; at most three each to do and to avoid, the plan included. */
export interface Remarks {
  readonly toKnow: readonly Remark[];
  readonly helpful: readonly Remark[];
  readonly onError: readonly Remark[];
  readonly toAvoid: readonly Remark[];
}

/** The plan is shown already: a remark that only says to follow it adds nothing. */
export function chooseMore(
  insights: readonly CountedInsight[],
  { steps, family }: Plan,
  utilityOf: UtilityOf,
): Remarks {
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
  const own = topics.family(family.familyId);
  const inFamily = (one: CountedInsight) =>
    corroboration(one) * (one.insight.topics.includes(own) ? 1 : ELSEWHERE);
  const onError = pick(["recovery"], MOST_WARNINGS, inFamily);
  const solved = new Set(onError.map(({ counted: { insight } }) => problemOf(insight.structure)));
  const toAvoid = pick(["pitfall"], MOST_WARNINGS, inFamily).filter(
    ({ counted: { insight } }) => !solved.has(problemOf(insight.structure)),
  );
  return {
    toKnow: pick(["fact"], MOST_FACTS, (one) => (isPlace(one) ? 1 - 1 / (1 + total(one)) : 0)),
    helpful: pick(["contrast", "precondition"], MOST_ADVICE, (one) =>
      isInPlan(one, steps) ? 0 : inFamily(one),
    ),
    onError,
    toAvoid: toAvoid.slice(0, MOST_WARNINGS - onError.length),
  };
}

/** Proof moves a remark's place; it never silences one by itself, for that is what retiring is for. */
function factorOf(utility: number): number {
  return 1 + Math.max(-0.5, Math.min(0.5, utility));
}

/** What was seen with other kinds of requests is worth less here. */
const ELSEWHERE = 0.4;

/** Said by the plan already: a step that it has, or two of its steps in their order. */
function isInPlan({ insight: { structure } }: CountedInsight, steps: readonly Step[]): boolean {
  if (structure.kind === "contrast") return steps.some((step) => keyOf(step) === structure.step);
  if (structure.kind !== "precondition") return false;
  const place = (text: string) => steps.findIndex(({ verb }) => text.startsWith(verb));
  const [needs, step] = [place(structure.needs), place(structure.step)];
  return needs >= 0 && needs < step;
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
