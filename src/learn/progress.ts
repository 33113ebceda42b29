/**
 * Tells steps that moved something from steps that did not. No list of phrases can know every environment's way of
 * saying "nothing happened"; but such an answer is short, names nothing of what was asked, and is the same whatever
 * one does. What is seen here is returned as shapes, so that a store can count them over many runs and pass them back.
 */
import { exactKey } from "../domain/action.ts";
import type { NoopShape, Outcome, UselessReason } from "../domain/analysis.ts";
import type { TurnReading } from "./read-turn.ts";

export interface Progress {
  readonly outcomes: readonly Outcome[];
  readonly useless: readonly (UselessReason | null)[];
  readonly shapes: readonly NoopShape[];
}

const SHORT = 160;
const SHAPE_LIMIT = 20;
const SAYS_NOTHING =
  /^(?:nothing (?:happen|chang|to |was )|no (?:change|effect|result|match|op\b|output|data|records?|items?|rows?|documents?)|0 (?:results?|matches|rows))/i;
const EMPTY = /^(?:\[\s*\]|\{\s*\}|null|none|undefined|""|''|n\/a)$/i;

export function judgeProgress(readings: readonly TurnReading[], learned: ReadonlySet<string>): Progress {
  const shapes = collectShapes(readings);
  const sameToAnything = new Set([...shapes.values()].filter(answersAnything).map((seen) => seen.shape));
  const useless = readings.map((reading) => whyUseless(reading, learned, sameToAnything));
  return {
    outcomes: readings.map((reading, index) => outcomeOf(reading, useless[index] ?? null)),
    useless,
    shapes: [...shapes.values()]
      .filter((seen) => !isVerdict(seen, readings))
      .slice(0, SHAPE_LIMIT)
      .map((seen) => ({ shape: seen.shape, actions: seen.keys.size, turns: seen.turns })),
  };
}

function outcomeOf(reading: TurnReading, useless: UselessReason | null): Outcome {
  if (reading.error !== null) return "error";
  if (useless !== null) return "useless";
  return reading.result === null ? "unknown" : "effective";
}

function whyUseless(
  reading: TurnReading,
  learned: ReadonlySet<string>,
  sameToAnything: ReadonlySet<string>,
): UselessReason | null {
  if (reading.role !== "act" || reading.result === null || reading.error !== null) return null;
  const result = reading.result.trim();
  if (learned.has(reading.shape)) return "known no-op";
  if (EMPTY.test(result)) return "empty result";
  if (result.length <= SHORT && SAYS_NOTHING.test(result)) return "says nothing happened";
  if (sameToAnything.has(reading.shape)) return "same answer to anything";
  return result === reading.before.trim() ? "nothing changed" : null;
}

interface SeenShape {
  readonly shape: string;
  readonly keys: Set<string>;
  readonly verbs: Set<string>;
  readonly turns: number[];
}

/** Different verbs with different values got the very same words, at least three times. */
function answersAnything(seen: SeenShape): boolean {
  return seen.verbs.size >= 2 && seen.keys.size >= 3 && seen.turns.length >= 3;
}

function collectShapes(readings: readonly TurnReading[]): Map<string, SeenShape> {
  const shapes = new Map<string, SeenShape>();
  for (const reading of readings) {
    const action = reading.actions[0];
    if (reading.role !== "act" || action === undefined || reading.result === null || reading.error !== null)
      continue;
    if (reading.result.length > SHORT || !/\p{L}{2}/u.test(reading.shape) || mentionsAction(reading))
      continue;
    const seen = shapes.get(reading.shape) ?? {
      shape: reading.shape,
      keys: new Set(),
      verbs: new Set(),
      turns: [],
    };
    seen.keys.add(exactKey(action));
    seen.verbs.add(action.verb);
    seen.turns.push(reading.index);
    shapes.set(reading.shape, seen);
  }
  return shapes;
}

/** What a run ends with is a verdict or a farewell; seen once, at the end, it says nothing about doing nothing. */
function isVerdict(seen: SeenShape, readings: readonly TurnReading[]): boolean {
  return seen.turns.length === 1 && seen.turns[0] === readings.length - 1;
}

function mentionsAction(reading: TurnReading): boolean {
  const result = (reading.result ?? "").toLowerCase();
  return reading.actions.some((action) =>
    action.slots.some((slot) => {
      const named = (slot.kind ?? slot.value).toLowerCase();
      return named.length >= 2 && result.includes(named);
    }),
  );
}
