/** Which few insights to show: relevant, borne out by evidence, one plan and not five. */
import type { Insight, Support } from "../domain/insight.ts";
import type { Retrieved } from "./retrieve.ts";

export interface Chosen {
  readonly insight: Insight;
  readonly score: number;
  readonly support: Support;
  readonly sources: readonly string[];
}

const MOST_TO_DO = 1;
const MOST_TO_AVOID = 3;

export function rank(found: readonly Retrieved[]): Chosen[] {
  const scored = found
    .map((applied) => ({ ...applied, score: Number((applied.similarity * confidence(applied)).toFixed(4)) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.insight.insightId < b.insight.insightId ? -1 : 1));
  const toDo = scored.filter(({ insight }) => insight.kind === "workflow").slice(0, MOST_TO_DO);
  const toAvoid = scored.filter(({ insight }) => insight.kind === "pitfall").slice(0, MOST_TO_AVOID);
  return [...toDo, ...toAvoid].map(({ insight, score, total, sources }) => ({
    insight,
    score,
    support: total,
    sources,
  }));
}

/** The expected share of evidence in favour, starting from doubt: one sighting is worth less than ten. */
function confidence({ insight, total, against }: Retrieved): number {
  const inFavour = insight.kind === "workflow" ? total.succeeded : total.succeeded + total.failed;
  return (inFavour + 1) / (inFavour + against + 2);
}
