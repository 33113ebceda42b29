/** Everything that is known about what advice is worth to one tenant. */
import { topics } from "../domain/topics.ts";
import { type Cell, type Coverage, type Ledger, MOST_TURNS } from "../ports/ledger.ts";
import type { Store } from "../ports/store.ts";
import { type Arm, noOutcomes } from "./arms.ts";
import {
  costOfHoldingOut,
  type Estimate,
  estimateEffect,
  type HoldoutCost,
  phrase,
  type Verdict,
  verdict,
} from "./estimate.ts";
import { armsFitTheirShares } from "./missing.ts";
import { stepsSaved, type StepsSaved } from "./steps.ts";
import { added, byKey, outcomesIn, strataOf } from "./strata.ts";

export interface Judged extends Estimate {
  readonly verdict: Verdict;
  readonly words: string;
  /** False where outcomes seem to be told more often in one arm than in the other: then nothing here can be trusted. */
  readonly armsFit: boolean;
}

/** Outcomes that named their enhancement, and those that were joined by their request: never pooled. */
export interface Apart<T> {
  readonly explicit: T;
  readonly inferred: T;
}

export interface Uplift {
  readonly asOf: number;
  readonly overall: Apart<Judged>;
  readonly stepsSaved: Apart<StepsSaved>;
  /** From the way of joining that has more outcomes. */
  readonly costOfHoldingOut: HoldoutCost & { readonly basis: keyof Apart<unknown> };
  readonly byAgentType: readonly (Apart<Judged> & { readonly agentType: string })[];
  readonly byFamily: readonly (Apart<Judged> & {
    readonly familyId: string;
    readonly appliesWhen: string | null;
  })[];
  readonly byInsight: readonly (Apart<Judged> & JudgedInsight)[];
  readonly byKind: readonly (Apart<Judged> & { readonly kind: string })[];
  readonly byWeek: readonly (Apart<Judged> & { readonly week: number })[];
  readonly coverage: readonly Coverage[];
}

export interface JudgedInsight {
  readonly insightId: string;
  readonly kind: string;
  /** Null where it was forgotten since. */
  readonly appliesWhen: string | null;
  readonly status: "candidate" | "active" | "retired" | "forgotten";
}

export type MeasureUplift = (tenantId: string) => Promise<Uplift>;

/** Of each division, those with the most outcomes. */
const MOST = 50;

export function createUplift({
  ledger,
  store,
  clock,
}: {
  readonly ledger: Ledger;
  readonly store: Store;
  readonly clock: () => number;
}): MeasureUplift {
  return async (tenantId) => {
    const cellsBy = async (by: "tenant" | "agent type" | "family" | "insight" | "kind" | "week") =>
      ledger.cells(tenantId, { by });
    const all = await cellsBy("tenant");
    const coverage = await ledger.coverage(tenantId);
    const overall = judged(all);
    return {
      asOf: clock(),
      overall,
      stepsSaved: apart(all, turnsSaved),
      costOfHoldingOut: cost(overall, coverage),
      byAgentType: await each(await cellsBy("agent type"), async (agentType) => ({ agentType })),
      byFamily: await each(await cellsBy("family"), async (familyId) => ({
        familyId,
        appliesWhen: await familyInWords(store, tenantId, familyId),
      })),
      byInsight: await each(await cellsBy("insight"), (insightId, kind) =>
        insightInWords(store, tenantId, { insightId, kind }),
      ),
      byKind: await each(await cellsBy("kind"), async (kind) => ({ kind })),
      byWeek: (await each(await cellsBy("week"), async (week) => ({ week: Number(week) }))).sort(
        (a, b) => a.week - b.week,
      ),
      coverage,
    };
  };
}

function apart<T>(cells: readonly Cell[], measure: (cells: readonly Cell[]) => T): Apart<T> {
  return {
    explicit: measure(cells.filter(({ inferred }) => !inferred)),
    inferred: measure(cells.filter(({ inferred }) => inferred)),
  };
}

function judged(cells: readonly Cell[]): Apart<Judged> {
  return apart(cells, (own) => {
    const strata = strataOf(own);
    const estimate = estimateEffect(strata);
    return {
      ...estimate,
      verdict: estimate.difference === null ? "not known yet" : verdict(estimate),
      words: phrase(estimate),
      armsFit: armsFitTheirShares(strata),
    };
  });
}

/** The bounds take a fraction of a millisecond each: others get their turn in between. */
async function each<T>(
  cells: readonly Cell[],
  name: (key: string, kind: string) => Promise<T>,
): Promise<(Apart<Judged> & T)[]> {
  const groups = [...byKey(cells)].sort(([, a], [, b]) => outcomesIn(b) - outcomesIn(a)).slice(0, MOST);
  const named: (Apart<Judged> & T)[] = [];
  for (const [key, own] of groups) {
    named.push({ ...(await name(key, own[0]?.kind ?? "")), ...judged(own) });
    await new Promise(setImmediate);
  }
  return named;
}

function turnsSaved(cells: readonly Cell[]): StepsSaved {
  const turns = (shown: boolean) =>
    cells
      .filter((cell) => cell.shown === shown && cell.propensity > 0 && cell.propensity < 1)
      .reduce<Arm>((sum, cell) => added(sum, cell.turns), noOutcomes);
  return stepsSaved(turns(true), turns(false), MOST_TURNS);
}

function cost(
  { explicit, inferred }: Apart<Judged>,
  coverage: readonly Coverage[],
): Uplift["costOfHoldingOut"] {
  const heldOut = coverage
    .filter(({ arm }) => arm === "held out")
    .reduce((sum, { enhancements }) => sum + enhancements, 0);
  const size = (estimate: Estimate) => estimate.shown + estimate.heldOut;
  const basis = size(inferred) > size(explicit) ? "inferred" : "explicit";
  return { basis, ...costOfHoldingOut(basis === "inferred" ? inferred : explicit, heldOut) };
}

async function familyInWords(store: Store, tenantId: string, familyId: string): Promise<string | null> {
  const about = await store.insightsAbout(tenantId, [topics.family(familyId)]);
  return about.find(({ insight }) => insight.kind === "workflow")?.insight.appliesWhen ?? null;
}

async function insightInWords(
  store: Store,
  tenantId: string,
  { insightId, kind }: { readonly insightId: string; readonly kind: string },
): Promise<JudgedInsight> {
  const found = await store.findInsight(tenantId, insightId);
  if (found === null) return { insightId, kind, appliesWhen: null, status: "forgotten" };
  return { insightId, kind, appliesWhen: found.insight.appliesWhen, status: found.status };
}
