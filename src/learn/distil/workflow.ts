/**
 * The working steps of a success. A run that did nearly what is known already speaks for that plan instead of adding
 * another; one that followed a known plan and failed speaks against it.
 */
import type { Step } from "../../domain/insight.ts";
import { alikeness, keyOf } from "../../domain/plan.ts";
import { topics } from "../../domain/topics.ts";
import type { CountedInsight } from "../../ports/store.ts";
import { type Lesson, type Notes, span } from "../lesson.ts";

/** Above this two runs went the same way, but for a detour or an optional step. */
const SAME_WAY = 0.6;
const FOLLOWED = 0.85;

export function distilWorkflow(lesson: Lesson, notes: Notes): void {
  const { analysis, success, familyId, shape, plan: steps } = lesson;
  if (success === null || steps.length === 0) return;
  const turns = span(analysis.workingSteps.map(({ index }) => index));
  const nearest = nearestWorkflow(lesson.known, steps);
  if (success) {
    if (nearest !== null && nearest.alikeness >= SAME_WAY) {
      notes.seeAgain(nearest.known.insight, { stance: "for", value: null, ...turns });
      return;
    }
    const identity = `${familyId} ${steps.map(({ text }) => text).join(" > ")}`;
    const structure = { kind: "workflow", steps } as const;
    notes.see(
      { identity, appliesWhen: shape.text, topics: [topics.family(familyId)], structure },
      { stance: "for", value: null, ...turns },
    );
  } else if (nearest !== null && nearest.alikeness >= FOLLOWED && tookAll(steps, nearest.known)) {
    notes.seeAgain(nearest.known.insight, { stance: "against", value: null, ...turns });
  }
}

export function nearestWorkflow(
  known: readonly CountedInsight[],
  steps: readonly Step[],
): { readonly known: CountedInsight; readonly alikeness: number } | null {
  let best: { known: CountedInsight; alikeness: number } | null = null;
  for (const one of known) {
    if (one.insight.structure.kind !== "workflow") continue;
    const like = alikeness(one.insight.structure.steps, steps);
    if (best === null || like > best.alikeness) best = { known: one, alikeness: like };
  }
  return best;
}

/** A run that left a step of the plan out says nothing against the plan. */
function tookAll(taken: readonly Step[], { insight: { structure } }: CountedInsight): boolean {
  const keys = new Set(taken.map(keyOf));
  return structure.kind === "workflow" && structure.steps.every((step) => keys.has(keyOf(step)));
}
