/**
 * What successes of a family do that its failures do not. Each step's odds in both are compared, with a prior that
 * keeps a few runs from proving anything.
 */
import { keyOf } from "../../domain/plan.ts";
import { topics } from "../../domain/topics.ts";
import type { TallyCount } from "../../ports/store.ts";
import { identify, type Lesson, type Notes } from "../lesson.ts";

/** On either side; fewer runs tell nothing. */
const LEAST_RUNS = 3;
/** Three times the odds. */
const LEAST_LOG_ODDS = Math.log(3);
const MOST = 3;

/** The keys of the steps that this episode took, for the family's tally. */
export function stepKeys({ plan }: Lesson): string[] {
  return [...new Set(plan.map(keyOf))];
}

export function distilContrast(lesson: Lesson, notes: Notes): void {
  const { episodes, steps, success, familyId, shape } = lesson;
  if (success === null || episodes.succeeded < LEAST_RUNS || episodes.failed < LEAST_RUNS) return;
  const taken = new Set(stepKeys(lesson));
  const known = new Set(lesson.known.map(({ insight }) => insight.insightId));
  const telling = steps
    .map((step) => ({ step: step.key, logOdds: logOddsRatio(step, episodes) }))
    .filter(({ logOdds }) => logOdds >= LEAST_LOG_ODDS)
    .sort((a, b) => b.logOdds - a.logOdds || (a.step < b.step ? -1 : 1))
    .slice(0, MOST);
  for (const { step } of telling) {
    const agrees = taken.has(step) === success;
    const structure = { kind: "contrast", step } as const;
    const identity = `${familyId} ${step}`;
    // what nobody has spoken for yet cannot be spoken against
    if (!agrees && !known.has(identify(structure, identity))) continue;
    notes.see(
      {
        identity,
        appliesWhen: shape.text,
        topics: [topics.family(familyId)],
        structure,
      },
      {
        stance: agrees ? "for" : "against",
        value: null,
        from: 0,
        to: Math.max(0, lesson.analysis.turns.length - 1),
      },
    );
  }
}

/** Jeffreys' prior: half a run on every side. */
export function logOddsRatio(step: TallyCount, episodes: TallyCount): number {
  const odds = (withStep: number, all: number) => (withStep + 0.5) / (Math.max(0, all - withStep) + 0.5);
  return Math.log(odds(step.succeeded, episodes.succeeded) / odds(step.failed, episodes.failed));
}
