/** An insight in words, made from its structure and its counts: the same insight always reads the same. */
import type { InsightStructure, Support } from "./insight.ts";

export interface Told {
  readonly structure: InsightStructure;
  readonly support: Support;
  readonly unknown: number;
  readonly against: number;
  readonly values: readonly { readonly value: string; readonly count: number }[];
}

const MOST_VALUES = 4;

export function tell({ structure, support, unknown, against, values }: Told): string {
  const runs = support.succeeded + support.failed + unknown;
  switch (structure.kind) {
    case "workflow":
      return `${structure.steps.map(({ text, repeated }, i) => `${i + 1}. ${text}${repeated ? " (as often as needed)" : ""}`).join("; ")} (worked in ${support.succeeded} of ${support.succeeded + against} runs)`;
    case "pitfall":
      return `${structure.step} gave "${structure.error}" (${inRuns(runs)})`;
    case "recovery":
      return `when ${structure.step} gives "${structure.error}": ${structure.fix} (${inRuns(runs)})`;
    case "precondition":
      return `before ${structure.step}: ${structure.needs} (${inRuns(runs)})`;
    case "contrast":
      return `runs that succeed ${structure.step}, and runs that do not succeed leave it out (${inRuns(runs)}${against > 0 ? `, ${against} against` : ""})`;
    case "tool":
      return `${structure.tool}(${structure.arguments.join(", ")}): ${values.map(({ value, count }) => `${value} in ${count} runs`).join(", ")}`;
    case "fact":
      return `${structure.subject} ${structure.relation}: ${tellValues(values)}`;
    case "efficiency":
      return tellEfficiency(values);
  }
}

export function tellValues(values: Told["values"]): string {
  return values
    .slice(0, MOST_VALUES)
    .map(({ value, count }) => `${value} (${count}x)`)
    .join(", ");
}

/** From how many successes took how many turns. */
function tellEfficiency(values: Told["values"]): string {
  const turns = values
    .map(({ value, count }) => ({ turns: Number(value), count }))
    .sort((a, b) => a.turns - b.turns);
  const all = turns.reduce((total, { count }) => total + count, 0);
  let seen = 0;
  const usual = turns.find(({ count }) => (seen += count) >= all / 2)?.turns ?? 0;
  return `the shortest success took ${turns[0]?.turns ?? 0} turns, the usual one ${usual} (${inRuns(all)})`;
}

export function inRuns(n: number): string {
  return n === 1 ? "seen once" : `seen in ${n} runs`;
}
