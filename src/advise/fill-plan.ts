/**
 * A plan in the words of the new request: its values where they are certain, what runs usually did where that is known,
 * gaps elsewhere. Steps that hardly any success took are left out, and those that only some took are marked.
 */
import type { Role, Step } from "../domain/insight.ts";
import { keyOf } from "../domain/plan.ts";
import { topics } from "../domain/topics.ts";
import { contentWords, stem } from "../domain/vocabulary.ts";
import type { CountedInsight, TallyCount } from "../ports/store.ts";

export interface Known {
  /** The plan was learned from another kind of request. */
  readonly borrowed: boolean;
  /** The words of the request, stemmed, that may name steps. */
  readonly named: readonly string[];
  /** How many gaps the requests had that the plan was learned from. */
  readonly planGaps: number;
  /** What is known about a thing or a step, by topic. */
  readonly about: (topic: string) => readonly CountedInsight[];
  /** Where the things that the request names were found. */
  readonly things: readonly CountedInsight[];
  /** Steps that the family's episodes took, and those episodes themselves. */
  readonly steps: readonly TallyCount[];
  readonly succeeded: number;
}

/** An answer that so large a share of runs gave is what is usually done. */
const USUAL = 0.6;
/** Of the successes: fewer than the first and a step is left out, fewer than the second and it is optional. */
const RARE = 0.3;
const OPTIONAL = 0.6;
/** With fewer successes than this nobody can tell what is optional. */
const ENOUGH_SUCCESSES = 4;
const MOST_PLACES = 3;

export function fillPlan(steps: readonly Step[], gaps: readonly string[], known: Known): string[] {
  const values = valuesFor(steps, gaps, known);
  const written = withNamedSteps(steps, known)
    .map((step) => ({ text: writeStep(step, values), share: shareOf(step, known) }))
    .filter(({ text, share }) => text !== null && share >= RARE)
    .map(({ text, share }) => (share < OPTIONAL ? `${text} (not always needed)` : `${text}`));
  return written.filter((text, i) => text !== written[i - 1]);
}

/**
 * Where the plan comes from another kind of request and this one names a step that the plan lacks, and runs have shown
 * how that step is done, it is put before the last one.
 */
function withNamedSteps(steps: readonly Step[], { named, about, borrowed }: Known): readonly Step[] {
  const verbs = new Set(steps.map(({ verb }) => verb));
  const object = steps
    .flatMap(({ roles }) => Object.entries(roles))
    .find(([, { name }]) => name === "object");
  if (!borrowed || object === undefined) return steps;
  const [number, role] = object;
  const missing = named
    .filter((word) => !verbs.has(word))
    .flatMap((verb) => {
      const done = about(topics.tool(verb)).find(
        ({ insight: { structure } }) =>
          structure.kind === "fact" && structure.subject === verb && structure.relation !== "object",
      );
      const relation = done?.insight.structure.kind === "fact" ? done.insight.structure.relation : null;
      const value = done?.values[0]?.value ?? null;
      if (relation === null || value === null) return [];
      return [
        {
          text: `${verb} {${number}} ${relation} ${value}`,
          verb,
          repeated: false,
          roles: { [number]: role },
        },
      ];
    });
  return missing.length === 0 ? steps : [...steps.slice(0, -1), ...missing, ...steps.slice(-1)];
}

/** Of the family's successes, how many took a step like this. */
function shareOf(step: Step, { steps, succeeded, named }: Known): number {
  if (succeeded < ENOUGH_SUCCESSES || named.includes(step.verb)) return 1;
  const key = keyOf(step);
  return (steps.find((one) => one.key === key)?.succeeded ?? 0) / succeeded;
}

/** By role number. */
function valuesFor(steps: readonly Step[], gaps: readonly string[], known: Known): Map<string, string> {
  const roles = steps.flatMap((step) =>
    Object.entries(step.roles).map(([number, role]) => ({ step, number, role })),
  );
  const values = new Map<string, string>();
  const fill = (number: string, value: string | null): void => {
    if (value !== null && !values.has(number)) values.set(number, value);
  };
  // as many gaps, in the same order: then which is which is certain
  if (known.planGaps === gaps.length) {
    for (const { number, role } of roles) fill(number, role.gap === null ? null : (gaps[role.gap] ?? null));
  } else {
    const first = roles.find(({ role }) => role.name === "object" && role.gap !== null);
    if (first !== undefined) fill(first.number, knownThing(known));
  }
  for (const { step, number, role } of roles) fill(number, usual(step, role, known));
  for (const { step, number, role } of roles) fill(number, whereFound(step, role, values, known));
  for (const { step, number, role } of roles)
    fill(number, role.name === "from" ? anywhere(step, known) : null);
  return values;
}

/** The thing in the request that runs have found somewhere before, if it is only one. */
function knownThing({ things }: Known): string | null {
  const subjects = things.flatMap(({ insight: { structure } }) =>
    structure.kind === "fact" ? [structure.subject] : [],
  );
  return new Set(subjects).size === 1 ? (subjects[0] ?? null) : null;
}

/** What this step is done with in most runs: `heat … with microwave`. */
function usual(step: Step, role: Role, { about }: Known): string | null {
  const question = about(topics.tool(step.verb)).find(
    ({ insight: { structure } }) =>
      structure.kind === "fact" && structure.subject === step.verb && structure.relation === role.name,
  );
  const [most] = question?.values ?? [];
  const answers = question?.values.reduce((total, { count }) => total + count, 0) ?? 0;
  return most !== undefined && most.count >= USUAL * answers ? most.value : null;
}

/** Where the thing that this step takes was found before. */
function whereFound(
  step: Step,
  role: Role,
  values: ReadonlyMap<string, string>,
  known: Known,
): string | null {
  if (role.name !== "from") return null;
  const taken = Object.entries(step.roles).find(([, { name }]) => name === "object");
  const thing = taken === undefined ? undefined : values.get(taken[0]);
  return thing === undefined ? null : placesOf(thing, known);
}

/** Where this step takes things from at all. */
function anywhere(step: Step, { about }: Known): string | null {
  const question = about(topics.tool(step.verb)).find(
    ({ insight: { structure } }) =>
      structure.kind === "fact" && structure.subject === step.verb && structure.relation === "from",
  );
  return question === undefined ? null : listed(question);
}

function listed({ values }: CountedInsight): string | null {
  return values.length === 0
    ? null
    : values
        .slice(0, MOST_PLACES)
        .map(({ value }) => value)
        .join(" or ");
}

function placesOf(thing: string, { about }: Known): string | null {
  for (const word of contentWords(thing).flatMap((one) => [one, stem(one)])) {
    const [fact] = about(topics.thing(word));
    if (fact !== undefined && fact.values.length > 0) return listed(fact);
  }
  return null;
}

/** null for a step of which nothing is left but its verb. One pass, so that no value is taken for a part of the plan. */
function writeStep({ text, roles, repeated }: Step, values: ReadonlyMap<string, string>): string | null {
  const numbers = Object.keys(roles);
  const isApproach = !text.includes("(") && numbers.length === 1 && !values.has(numbers[0] ?? "");
  if (isApproach) return null;
  const written = text.replace(
    /( (\S+) )?\{(\d+)\}/g,
    (_, phrase: string | undefined, word: string, number: string) => {
      const { name = "", gap = null } = roles[number] ?? {};
      const value = values.get(number);
      if (value !== undefined) return `${phrase ?? ""}${value}`;
      // a preposition goes with what follows it: `take mug` rather than `take mug from`
      if (word === name) return gap === null ? "" : `${phrase ?? ""}[what was asked for]`;
      return `${phrase ?? ""}[${name}]`;
    },
  );
  return repeated ? `${written} (as often as needed)` : written;
}
