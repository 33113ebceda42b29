/** Finds where a run went round in circles: repeats, cycles, bursts of failures, and ways back. */
import { exactKey } from "../domain/action.ts";
import type { Backtrack, Burst, Loop, Outcome } from "../domain/analysis.ts";
import type { TurnReading } from "./read-turn.ts";

const REPEATS = 3;
const LONGEST_CYCLE = 4;
const BURST = 3;
/** Failures further apart than this belong to different attempts. */
const BURST_GAP = 8;
const LIST_LIMIT = 50;

/** The exact action with the shape of what it brought: doing the same and getting something new is no loop. */
function stepKey(reading: TurnReading): string {
  return `${reading.actions.map(exactKey).join("\u001e")}\u001d${reading.shape}`;
}

export function findLoops(readings: readonly TurnReading[]): Loop[] {
  const acts = readings.filter((reading) => reading.role === "act");
  const keys = acts.map(stepKey);
  const loops: Loop[] = [];
  const covered = new Set<number>();
  for (let period = 1; period <= LONGEST_CYCLE; period += 1) {
    let run = 0;
    for (let at = period; at <= keys.length; at += 1) {
      if (at < keys.length && keys[at] === keys[at - period]) {
        run += 1;
        continue;
      }
      // A single action must come three times; a cycle that comes twice in full is no accident either.
      const long = period === 1 ? run >= REPEATS - 1 : run >= period;
      if (long) addLoop(loops, covered, acts, at - run - period, at - 1, period);
      run = 0;
    }
  }
  return loops.sort((a, b) => a.from - b.from || a.period - b.period).slice(0, LIST_LIMIT);
}

function addLoop(
  loops: Loop[],
  covered: Set<number>,
  acts: readonly TurnReading[],
  from: number,
  to: number,
  period: number,
): void {
  const first = acts[from];
  const last = acts[to];
  // What is already known as a shorter cycle also repeats at twice its period.
  if (first === undefined || last === undefined || covered.has(from) || covered.has(to)) return;
  for (let at = from; at <= to; at += 1) covered.add(at);
  const signature = acts
    .slice(from, from + period)
    .map((reading) => reading.actions[0]?.signature ?? "")
    .join(" > ");
  loops.push({
    from: first.index,
    to: last.index,
    period,
    times: Math.floor((to - from + 1) / period),
    signature,
  });
}

export function findBursts(readings: readonly TurnReading[], outcomes: readonly Outcome[]): Burst[] {
  const open = new Map<string, number[]>();
  const bursts: Burst[] = [];
  const close = (verb: string): void => {
    const turns = open.get(verb) ?? [];
    open.delete(verb);
    const error = turns
      .map((turn) => readings[turn]?.error)
      .find((found) => found !== null && found !== undefined);
    if (turns.length >= BURST) bursts.push({ verb, turns, error: error ?? null });
  };
  for (const reading of readings) {
    const verb = reading.actions[0]?.verb;
    if (reading.role !== "act" || verb === undefined) continue;
    const failed = outcomes[reading.index] === "error" || outcomes[reading.index] === "useless";
    const turns = open.get(verb);
    const stale = turns !== undefined && reading.index - (turns.at(-1) ?? 0) > BURST_GAP;
    if (!failed || stale) close(verb);
    if (!failed) continue;
    const current = open.get(verb);
    if (current === undefined) open.set(verb, [reading.index]);
    else current.push(reading.index);
  }
  for (const verb of open.keys()) close(verb);
  return bursts.sort((a, b) => (a.turns[0] ?? 0) - (b.turns[0] ?? 0)).slice(0, LIST_LIMIT);
}

const BACK = /\b(?:back|prev|previous|undo|return|revert|rollback|cancel|close)\b/i;
const TOLD_STATE = 40;

/**
 * Ways back. With results: another action led to a state that was seen before. Without: an action that says so takes
 * back the one before it.
 */
export function findBacktracks(readings: readonly TurnReading[]): Backtrack[] {
  const lastSeen = new Map<string, number>();
  const backtracks: Backtrack[] = [];
  for (const reading of readings) {
    const action = reading.actions[0];
    if (reading.role !== "act" || action === undefined) continue;
    const goesBack =
      BACK.test(action.verb.replaceAll("_", " ")) ||
      action.slots.some((slot) => slot.value.length < 40 && BACK.test(slot.value));
    const state = reading.result ?? "";
    const seen = state.length >= TOLD_STATE ? lastSeen.get(state) : undefined;
    if (goesBack && seen !== undefined && seen < reading.index - 1)
      backtracks.push({ from: seen, to: reading.index });
    else if (goesBack && reading.result === null && reading.index >= 2)
      backtracks.push({ from: reading.index - 2, to: reading.index });
    if (state.length >= TOLD_STATE) lastSeen.set(state, reading.index);
  }
  return backtracks.slice(0, LIST_LIMIT);
}
