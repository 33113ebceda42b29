/** Steps that do not work, the ways out of them that were found, and steps that were repeated to no effect. */
import type { Action } from "../../domain/action.ts";
import type { ErrorSignature, Recovery } from "../../domain/analysis.ts";
import { NO_EFFECT } from "../../domain/tell.ts";
import { topics } from "../../domain/topics.ts";
import { type Lesson, type Notes, span } from "../lesson.ts";

const MOST_PITFALLS = 5;
const MOST_RECOVERIES = 5;
/** An error that says nothing but "failed" teaches nothing. */
const LEAST_SPECIFICITY = 1;
const ENOUGH_REPEATS = 3;

export function distilErrors(lesson: Lesson, notes: Notes): void {
  pitfalls(lesson, notes);
  recoveries(lesson, notes);
  loops(lesson, notes);
}

function pitfalls({ analysis, familyId }: Lesson, notes: Notes): void {
  const failing = analysis.turns
    .filter(({ error }) => error !== null && error.specificity >= LEAST_SPECIFICITY)
    .sort((a, b) => (b.error?.specificity ?? 0) - (a.error?.specificity ?? 0) || a.index - b.index);
  notes.skipped += analysis.turns.filter(({ outcome }) => outcome === "error").length - failing.length;
  const seen = new Set<string>();
  for (const { actions, error, index } of failing) {
    const action = actions[0];
    if (action === undefined || error === null) continue;
    const step = bareStep(action);
    const said = tellError(error);
    if (seen.has(`${step} ${said}`)) continue;
    if (seen.size >= MOST_PITFALLS) break;
    seen.add(`${step} ${said}`);
    notes.see(
      {
        appliesWhen: action.verb,
        topics: [topics.tool(action.verb), topics.family(familyId)],
        structure: { kind: "pitfall", step, error: said },
      },
      { stance: "for", value: null, from: index, to: index },
    );
  }
}

function recoveries({ analysis, familyId }: Lesson, notes: Notes): void {
  let told = 0;
  for (const recovery of analysis.recoveries) {
    const { error, failed, fixed, verb } = recovery;
    const before = analysis.turns[failed.at(-1) ?? -1]?.actions[0];
    if (
      error === null ||
      error.specificity < LEAST_SPECIFICITY ||
      before === undefined ||
      told >= MOST_RECOVERIES
    )
      continue;
    const fix = tellFix(recovery, (index) => analysis.turns[index]?.actions[0]);
    if (fix === null) continue;
    told += 1;
    notes.see(
      {
        appliesWhen: verb,
        topics: [topics.tool(verb), topics.family(familyId)],
        structure: { kind: "recovery", step: bareStep(before), error: tellError(error), fix },
      },
      { stance: "for", value: null, ...span([...failed, fixed]) },
    );
  }
}

/** One step again and again, in a run that failed. Walking through a list of things is no loop. */
function loops({ analysis, familyId, success }: Lesson, notes: Notes): void {
  if (success !== false) return;
  for (const { from, to, period, times } of analysis.loops) {
    const action = analysis.turns[from]?.actions[0];
    if (action === undefined || times < ENOUGH_REPEATS || period > 2) continue;
    notes.see(
      {
        appliesWhen: action.verb,
        topics: [topics.family(familyId)],
        structure: { kind: "pitfall", step: bareStep(action), error: NO_EFFECT },
      },
      { stance: "for", value: null, from, to },
    );
  }
}

/** The step with its arguments' names and no values: `refund(order, reason)`, `pip install -r`. */
export function bareStep({ verb, form, slots }: Action): string {
  if (form === "command" || form === "sentence") {
    return [verb, ...slots.map(({ name }) => (name === "object" ? "…" : `${name} …`))].join(" ");
  }
  const names = [...new Set(slots.map(({ name }) => name))].filter((name) => !/^\d+$/.test(name)).sort();
  if (form === "shell") return [verb, ...names].join(" ");
  return names.length === 0 ? verb : `${verb}(${names.join(", ")})`;
}

/** That it is an error goes without saying; what else the environment calls it stands in front. */
function tellError({ class: kind, code, shape }: ErrorSignature): string {
  // some environments say nothing but the code
  if (kind === "exit" && code !== null && /^\W*(?:\w+ )?exit/i.test(shape)) return `exit code ${code}`;
  const named =
    kind === "exit" && code !== null ? [`exit ${code}`] : kind === "error" ? [code] : [kind, code];
  const head = named.filter((part) => part !== null && !shape.includes(part)).join(" ");
  return head === "" ? shape : `${head}: ${shape}`;
}

const MOST_STEPS_BETWEEN = 3;

function tellFix(recovery: Recovery, actionAt: (index: number) => Action | undefined): string | null {
  const after = actionAt(recovery.fixed);
  if (after === undefined) return null;
  switch (recovery.how) {
    case "arguments":
      return tellChanges(recovery, tellPreparation(recovery, actionAt));
    case "preparation":
      return tellPreparation(recovery, actionAt);
    case "instead":
      return `${bareStep(after)} instead`;
  }
}

function tellPreparation(
  { between, verb }: Recovery,
  actionAt: (index: number) => Action | undefined,
): string | null {
  const steps = between.slice(-MOST_STEPS_BETWEEN).flatMap((index) => {
    const action = actionAt(index);
    return action === undefined || action.verb === verb ? [] : [bareStep(action)];
  });
  return steps.length === 0 ? null : `first ${[...new Set(steps)].join(", then ")}`;
}

/**
 * Only the names of what was added or dropped: another value is the other task's affair. Where nothing but values
 * changed, what was done in between is how the right ones were found.
 */
function tellChanges({ changes }: Recovery, preparation: string | null): string | null {
  const named = changes.filter(({ name }) => !/^\d+$/.test(name) && name !== "object");
  const added = named.filter(({ before }) => before === null).map(({ name }) => name);
  const dropped = named.filter(({ after }) => after === null).map(({ name }) => name);
  const changed = named
    .filter(({ before, after }) => before !== null && after !== null)
    .map(({ name }) => name);
  const parts = [
    ...(added.length > 0 ? [`add ${added.join(", ")}`] : []),
    ...(dropped.length > 0 ? [`leave out ${dropped.join(", ")}`] : []),
    ...(changed.length > 0 ? [`another ${changed.join(", ")}`] : []),
  ];
  if (added.length + dropped.length === 0 && changed.length > 0 && preparation !== null)
    return `${preparation}, then another ${changed.join(", ")}`;
  return parts.length === 0 ? null : parts.join("; ");
}
