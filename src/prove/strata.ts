/** The ledger's cells as the proof counts them. */
import type { Cell } from "../ports/ledger.ts";
import { type Arm, noOutcomes, type Stratum } from "./arms.ts";

/** One stratum for every probability and way of joining: neither is ever pooled with another. */
export function strataOf(cells: readonly Cell[]): Stratum[] {
  const strata = new Map<string, Stratum>();
  for (const cell of cells) {
    const key = `${cell.inferred} ${cell.propensity}`;
    const stratum = strata.get(key) ?? {
      propensity: cell.propensity,
      shown: noOutcomes,
      heldOut: noOutcomes,
    };
    const arm = cell.shown ? "shown" : "heldOut";
    strata.set(key, { ...stratum, [arm]: added(stratum[arm], cell) });
  }
  return [...strata.values()];
}

export function added(one: Arm, other: Arm): Arm {
  return {
    n: one.n + other.n,
    sum: one.sum + other.sum,
    sumOfSquares: one.sumOfSquares + other.sumOfSquares,
  };
}

export function byKey(cells: readonly Cell[]): Map<string, Cell[]> {
  const groups = new Map<string, Cell[]>();
  for (const cell of cells) {
    const group = groups.get(cell.key);
    if (group === undefined) groups.set(cell.key, [cell]);
    else group.push(cell);
  }
  return groups;
}

export function outcomesIn(cells: readonly Cell[]): number {
  return cells.reduce((sum, { n }) => sum + n, 0);
}
