/** Words of the request that a run's actions used as values, stemmed. */
import type { Analysis } from "../domain/analysis.ts";
import { stem } from "../domain/vocabulary.ts";

export function wordsUsedAsValues({ turns }: Analysis): Set<string> {
  const slots = turns.flatMap(({ actions }) => actions.flatMap((action) => action.slots));
  return new Set(slots.flatMap(({ fromQuery }) => fromQuery.map(stem)));
}
