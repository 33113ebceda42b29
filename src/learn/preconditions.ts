/** Suggests what must come first: what stood between a failure and the same call's success, and whose result was used. */
import type { Fact, Precondition, Recovery } from "../domain/analysis.ts";
import type { TurnReading } from "./read-turn.ts";

const LIST_LIMIT = 50;

export function suggestPreconditions(
  readings: readonly TurnReading[],
  recoveries: readonly Recovery[],
  facts: readonly Fact[],
): Precondition[] {
  const found = new Map<string, Precondition>();
  const add = (precondition: Precondition): void => {
    const key = `${precondition.action}\u001f${precondition.needs}\u001f${precondition.why}`;
    if (!found.has(key) && precondition.action !== precondition.needs) found.set(key, precondition);
  };
  for (const recovery of recoveries) {
    if (recovery.how !== "preparation") continue;
    const fixed = readings[recovery.fixed]?.actions[0];
    const failed = recovery.failed.at(-1) ?? recovery.fixed;
    for (const index of recovery.between) {
      const needs = readings[index]?.actions[0];
      if (fixed === undefined || needs === undefined) continue;
      const turns = [failed, index, recovery.fixed];
      add({ action: fixed.template, needs: needs.template, why: "failed before it, worked after it", turns });
    }
  }
  for (const fact of facts) {
    if (fact.kind !== "flow") continue;
    add({ action: fact.to, needs: fact.from, why: "uses its result", turns: fact.turns.slice(0, 2) });
  }
  return [...found.values()].slice(0, LIST_LIMIT);
}
