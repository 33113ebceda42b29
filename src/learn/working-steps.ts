/**
 * Keeps the steps that led to the end state. Going backwards from the last step that worked, a step is kept when it
 * handles something that a later kept step handles, when its result holds a value that one uses, or when it acts on
 * something that the query names. Where actions share nothing to follow (clicks on changing numbers), every step that
 * worked is kept, less repeats and detours.
 */
import { exactKey, isSpeech, type Action } from "../domain/action.ts";
import type { Backtrack, Loop, Outcome, WorkingStep } from "../domain/analysis.ts";
import type { TurnReading } from "./read-turn.ts";

const STEP_LIMIT = 200;

export function keepWorkingSteps(
  readings: readonly TurnReading[],
  outcomes: readonly Outcome[],
  loops: readonly Loop[],
  backtracks: readonly Backtrack[],
): WorkingStep[] {
  const detours = indexesInside(backtracks);
  const repeats = new Set(loops.flatMap((loop) => range(loop.from + loop.period, loop.to)));
  const done = readings.filter(
    (reading) => worked(reading, outcomes) && !detours.has(reading.index) && !repeats.has(reading.index),
  );
  const explicit = done.filter((reading) => reading.actions.some((action) => action.form !== "sentence"));
  // An announcement in prose is a step only for agents that write nothing else.
  const steps = explicit.length > 0 ? explicit : done;
  const followed = followBackwards(steps);
  const kept = followed.length >= 2 ? followed : steps;
  return kept.flatMap((reading) => stepsOf(reading)).slice(-STEP_LIMIT);
}

function worked(reading: TurnReading, outcomes: readonly Outcome[]): boolean {
  const outcome = outcomes[reading.index];
  return reading.role === "act" && (outcome === "effective" || outcome === "unknown");
}

function stepsOf(reading: TurnReading): WorkingStep[] {
  return reading.actions
    .filter((action) => !isSpeech(action))
    .map((action) => ({ index: reading.index, action }));
}

/** What lies between two visits of one state, and the way back itself. */
function indexesInside(backtracks: readonly Backtrack[]): Set<number> {
  return new Set(backtracks.flatMap((back) => range(back.from + 1, back.to)));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
}

function followBackwards(done: readonly TurnReading[]): TurnReading[] {
  const needed = new Set<string>();
  const satisfied = new Map<string, string>();
  const kept: TurnReading[] = [];
  for (const reading of [...done].reverse()) {
    const values = reading.actions.flatMap(valuesOf);
    const approach = values.length === 1 ? exactKey(reading.actions[0] ?? EMPTY) : null;
    // Going to a place again counts once for each later step there.
    if (approach !== null && satisfied.has(approach)) continue;
    const last = kept.length === 0;
    const shares = values.some((value) => needed.has(value));
    const named =
      values.length !== 1 &&
      reading.actions.some((action) => action.slots.some((slot) => slot.fromQuery.length > 0));
    if (!last && !shares && !named && !provides(reading, needed)) continue;
    kept.push(reading);
    if (approach !== null) satisfied.set(approach, values[0] ?? "");
    else for (const [key, value] of satisfied) if (values.includes(value)) satisfied.delete(key);
    for (const value of values) needed.add(value);
  }
  return kept.reverse();
}

const EMPTY: Action = { form: "speech", verb: "", slots: [], signature: "", template: "", text: "" };

function valuesOf(action: Action): string[] {
  return action.slots
    .filter((slot) => slot.value.length >= 2 && slot.type !== "boolean")
    .map((slot) => slot.value);
}

/** Short values meet by chance. */
const PROVIDED_LENGTH = 4;

function provides(reading: TurnReading, needed: ReadonlySet<string>): boolean {
  for (const value of reading.values.keys())
    if (value.length >= PROVIDED_LENGTH && needed.has(value)) return true;
  return false;
}
