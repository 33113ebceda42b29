/** Pairs failures with what later worked; the difference between the two is the lesson. */
import { exactKey, type Action, type Slot } from "../domain/action.ts";
import type { ArgumentChange, Outcome, Recovery } from "../domain/analysis.ts";
import type { TurnReading } from "./read-turn.ts";

/** A success further away than this is another attempt at something else. */
const LOOK_AHEAD = 12;
const INSTEAD_AHEAD = 3;
const LIST_LIMIT = 50;

export function findRecoveries(readings: readonly TurnReading[], outcomes: readonly Outcome[]): Recovery[] {
  const byFix = new Map<number, Recovery>();
  const acts = readings.filter((reading) => reading.role === "act" && reading.actions.length > 0);
  for (const [at, failed] of acts.entries()) {
    if (!isFailure(outcomes[failed.index])) continue;
    const recovery = recoverFrom(failed, acts.slice(at + 1, at + 1 + LOOK_AHEAD), outcomes);
    if (recovery === null) continue;
    const known = byFix.get(recovery.fixed);
    // Several failures before one fix are one recovery; the last failure is the nearest to it and gives the difference.
    byFix.set(
      recovery.fixed,
      known === undefined ? recovery : { ...recovery, failed: [...known.failed, failed.index] },
    );
  }
  return [...byFix.values()].slice(0, LIST_LIMIT);
}

export function isFailure(outcome: Outcome | undefined): boolean {
  return outcome === "error" || outcome === "useless";
}

function recoverFrom(
  failed: TurnReading,
  later: readonly TurnReading[],
  outcomes: readonly Outcome[],
): Recovery | null {
  const before = failed.actions[0];
  if (before === undefined) return null;
  const fix = later.find((next) => outcomes[next.index] === "effective" && sameGoal(before, next.actions[0]));
  const instead = later
    .slice(0, INSTEAD_AHEAD)
    .find((next) => outcomes[next.index] === "effective" && sharesValue(before, next.actions[0]));
  const fixed = fix ?? instead;
  const after = fixed?.actions[0];
  if (fixed === undefined || after === undefined) return null;
  const between = later
    .filter((next) => next.index < fixed.index && outcomes[next.index] === "effective")
    .map((next) => next.index);
  const changes = fix === undefined ? [] : diffArguments(before.slots, after.slots);
  const how = fix === undefined ? "instead" : changes.length > 0 ? "arguments" : "preparation";
  return {
    failed: [failed.index],
    fixed: fixed.index,
    error: failed.error,
    verb: before.verb,
    how,
    changes,
    between,
  };
}

/** The same tool; where one verb does for everything (`take`, `go to`), also at least one thing in common. */
function sameGoal(before: Action, after: Action | undefined): boolean {
  if (after === undefined || after.verb !== before.verb) return false;
  if (before.form !== "command" || before.slots.length === 0) return true;
  return exactKey(before) === exactKey(after) || after.slots.some((slot) => hasKind(before, slot.kind));
}

function hasKind(action: Action, kind: string | null): boolean {
  return kind !== null && action.slots.some((slot) => slot.kind === kind);
}

function sharesValue(before: Action, after: Action | undefined): boolean {
  if (after === undefined || after.verb === before.verb) return false;
  const values = new Set(before.slots.filter((slot) => slot.value.length >= 3).map((slot) => slot.value));
  return after.slots.some((slot) => values.has(slot.value));
}

function diffArguments(before: readonly Slot[], after: readonly Slot[]): ArgumentChange[] {
  const left = valuesByName(before);
  const right = valuesByName(after);
  const names = [...new Set([...left.keys(), ...right.keys()])];
  return names
    .map((name) => ({ name, before: left.get(name) ?? null, after: right.get(name) ?? null }))
    .filter((change) => change.before !== change.after);
}

function valuesByName(slots: readonly Slot[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const slot of slots) {
    const known = values.get(slot.name);
    values.set(slot.name, known === undefined ? slot.value : `${known}, ${slot.value}`);
  }
  return values;
}
