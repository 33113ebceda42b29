/** Plans compared: what two runs did alike, and in the same order. */
import type { Step } from "./insight.ts";

/** Equal for steps that do the same to other things: `take {1} from {2}` is `take from object`. */
export function keyOf(step: Step): string {
  const names = Object.values(step.roles).map(({ name }) => name);
  return [step.verb, ...names.sort()].join(" ");
}

/** The share of two plans that is alike and in the same order, from 0 to 1: twice the longest common part over both. */
export function alikeness(a: readonly Step[], b: readonly Step[]): number {
  if (a.length === 0 || b.length === 0) return a.length === b.length ? 1 : 0;
  const left = a.map(keyOf);
  const right = b.map(keyOf);
  let above = Array.from({ length: right.length + 1 }, () => 0);
  for (const key of left) {
    const row = [0];
    right.forEach((other, i) => {
      row.push(key === other ? (above[i] ?? 0) + 1 : Math.max(row[i] ?? 0, above[i + 1] ?? 0));
    });
    above = row;
  }
  return (2 * (above.at(-1) ?? 0)) / (left.length + right.length);
}
