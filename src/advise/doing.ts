/**
 * What tells plans apart, as vectors: "heat something with microwave, put something in something". Steps that nearly every
 * plan has (walking somewhere, picking something up) say nothing about which one is meant, and are left out.
 */
import type { Step } from "../domain/insight.ts";
import type { Embedder } from "../ports/embedder.ts";
import { topics } from "../domain/topics.ts";
import type { CountedInsight } from "../ports/store.ts";
import type { Family } from "./retrieve.ts";

export interface Doing {
  readonly vector: Float32Array;
  /** How many steps it takes, of those that tell plans apart. */
  readonly effort: number;
}

export type DoingOf = (
  insights: readonly CountedInsight[],
  families: readonly Family[],
) => Promise<Map<string, Doing>>;

/** Plans of so many of the nearest families are looked at this closely; each costs an inference the first time. */
const MOST_FAMILIES = 8;

/** In so large a share of plans a verb is no news. */
const UBIQUITOUS = 0.8;
const MOST_KEPT = 5_000;
const MOST_EFFORT = 6;

export function createDoingOf(embedder: Embedder): DoingOf {
  const kept = new Map<string, Float32Array>();
  return async (insights, families) => {
    const near = new Set(families.slice(0, MOST_FAMILIES).map(({ familyId }) => topics.family(familyId)));
    const plans = insights.flatMap(({ insight: { insightId, structure, topics: about } }) =>
      structure.kind === "workflow" && about.some((topic) => near.has(topic))
        ? [{ insightId, steps: structure.steps }]
        : [],
    );
    const common = commonVerbs(plans.map(({ steps }) => steps));
    const told = plans.map(({ insightId, steps }) => {
      const telling = steps.filter((step) => !common.has(step.verb) && !isApproach(step));
      const kind = telling.length > 0 ? telling : steps;
      return { insightId, text: inWords(kind), effort: Math.min(MOST_EFFORT, telling.length) };
    });
    const missing = [...new Set(told.map(({ text }) => text).filter((text) => !kept.has(text)))];
    if (kept.size + missing.length > MOST_KEPT) kept.clear();
    const vectors = missing.length === 0 ? [] : await embedder.embed(missing, { kind: "document" });
    missing.forEach((text, i) => kept.set(text, vectors[i] ?? new Float32Array()));
    return new Map(
      told.map(({ insightId, text, effort }) => [
        insightId,
        { vector: kept.get(text) ?? new Float32Array(), effort },
      ]),
    );
  };
}

function commonVerbs(plans: readonly (readonly Step[])[]): Set<string> {
  const counts = new Map<string, number>();
  for (const steps of plans) {
    for (const verb of new Set(steps.map((step) => step.verb))) counts.set(verb, (counts.get(verb) ?? 0) + 1);
  }
  return new Set(
    [...counts].filter(([, count]) => count > 2 && count >= UBIQUITOUS * plans.length).map(([verb]) => verb),
  );
}

/** Going to or opening something that the request does not name: on the way to a step, not one that was asked for. */
function isApproach({ text, roles }: Step): boolean {
  const [only, ...others] = Object.values(roles);
  return !text.includes("(") && only !== undefined && others.length === 0 && only.gap === null;
}

/** What the request names is open; what it does not name and every run needs (`with microwave`) is said. */
function inWords(steps: readonly Step[]): string {
  const lines = steps.map(({ text, roles }) =>
    Object.entries(roles).reduce(
      (line, [number, { name, value, gap }]) => {
        const said = gap === null && name !== "from" && value !== null ? value : "something";
        return line.replaceAll(`{${number}}`, said);
      },
      text.replaceAll("_", " "),
    ),
  );
  return [...new Set(lines)].join(", ");
}
