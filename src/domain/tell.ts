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

/** The error of a pitfall whose step was repeated to no effect: the environment itself said nothing. */
export const NO_EFFECT = "again and again, without any effect";

export function tell({ structure, support, unknown, against, values }: Told): string {
  const runs = support.succeeded + support.failed + unknown;
  switch (structure.kind) {
    case "workflow":
      return `${structure.steps.map(({ text, repeated }, i) => `${i + 1}. ${text}${repeated ? " (as often as needed)" : ""}`).join("; ")} (worked in ${support.succeeded} of ${support.succeeded + against} runs)`;
    case "pitfall":
      return structure.error === NO_EFFECT
        ? `${structure.step} failed when repeated unchanged (${inRuns(runs)})`
        : `${structure.step} failed with "${withGaps(structure.error)}" (${inRuns(runs)})`;
    case "recovery":
      return `when ${structure.step} gives "${withGaps(structure.error)}": ${structure.fix} (${inRuns(runs)})`;
    case "precondition":
      return `before ${structure.step}: ${structure.needs} (${inRuns(runs)})`;
    case "contrast":
      return `${readKey(structure.step)} worked in most runs that succeeded and in few others (${inRuns(runs)}${against > 0 ? `, ${against} against` : ""})`;
    case "tool":
      return `${structure.tool}(${structure.arguments.join(", ")}): ${values.map(({ value, count }) => `${value} in ${count === 1 ? "1 run" : `${count} runs`}`).join(", ")}`;
    case "fact":
      return `${structure.subject}${structure.relation === "object" ? "" : ` ${structure.relation}`}: ${tellValues(values)}`;
    case "efficiency":
      return tellEfficiency(values);
  }
}

/** An error's shape as a person reads it: `field … is required`. */
function withGaps(error: string): string {
  return error.replace(/\{(?:text|id|path|url)\}|(?<!\w)#(?!\w)/g, "…");
}

/** Behind `object` in a key these would be roles; in front of it they belong to the verb (see `keyOf`). */
const PARTICLE = /^(?:to|up|down|on|off|out|around|back|through|over|away)$/;

/** A step's key as a person says it: `take from object` is `take … from …`. */
function readKey(key: string): string {
  const [verb = "", ...names] = key.split(" ");
  const object = names.indexOf("object");
  if (object < 0) return key;
  const particles = names.slice(0, object).filter((name) => PARTICLE.test(name));
  const roles = names.filter((name, i) => i !== object && !(i < object && PARTICLE.test(name)));
  return [verb, ...particles, "…", ...roles.map((name) => `${name} …`)].join(" ");
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
