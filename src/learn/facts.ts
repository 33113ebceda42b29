/** Collects what a run shows about its world: where things are, and which result a later argument came from. */
import type { Action, Slot } from "../domain/action.ts";
import type { Fact, FlowFact, Outcome, PlaceFact } from "../domain/analysis.ts";
import type { TurnReading } from "./read-turn.ts";

const FACT_LIMIT = 100;

export function collectFacts(readings: readonly TurnReading[], outcomes: readonly Outcome[]): Fact[] {
  return [...collectPlaces(readings, outcomes), ...collectFlows(readings)];
}

/** From commands that worked: `take mug 1 from desk 2` shows mugs at desks, and so does a mug listed after `open desk 2`. */
function collectPlaces(readings: readonly TurnReading[], outcomes: readonly Outcome[]): PlaceFact[] {
  const facts = new Map<string, PlaceFact & { turns: number[] }>();
  const add = (subject: string, relation: string, object: string, verb: string, index: number): void => {
    const key = `${subject}\u001f${relation}\u001f${object}\u001f${verb}`;
    const known = facts.get(key);
    if (known !== undefined) known.turns.push(index);
    else if (facts.size < FACT_LIMIT)
      facts.set(key, { kind: "place", subject, relation, object, verb, turns: [index] });
  };
  for (const reading of readings) {
    if (outcomes[reading.index] !== "effective") continue;
    for (const action of reading.actions) {
      const object = action.slots.find((slot) => slot.name === "object");
      const others = action.slots.filter((slot) => slot.name !== "object" && slot.kind !== null);
      if (object?.kind !== null && object !== undefined) {
        for (const other of others)
          add(object.kind, other.name, other.kind ?? "", action.verb, reading.index);
      }
      const place = placeOf(action);
      if (place === null) continue;
      for (const thing of thingsListed(reading, place))
        add(thing, "at", place.kind ?? "", action.verb, reading.index);
    }
  }
  return [...facts.values()];
}

/** The one numbered thing of a command that went to it or opened it. */
function placeOf(action: Action): Slot | null {
  const [only, second] = action.slots;
  return action.form === "command" && only?.instance != null && second === undefined ? only : null;
}

/** Numbered things that the result names beside the place itself, when the result is about the place. */
function thingsListed(reading: TurnReading, place: Slot): Set<string> {
  const result = (reading.result ?? "").slice(0, 4_000).toLowerCase();
  const things = new Set<string>();
  if (!result.includes(place.value.toLowerCase())) return things;
  for (const match of result.matchAll(/\b([a-z]{2,30}) \d{1,4}\b/g)) {
    if (match[1] !== undefined && match[1] !== place.kind) things.add(match[1]);
  }
  return things;
}

interface Source {
  readonly index: number;
  readonly verb: string;
  readonly key: string | null;
}

/** Values that stood in a result before an argument used them. */
function collectFlows(readings: readonly TurnReading[]): FlowFact[] {
  const sources = new Map<string, Source>();
  const facts = new Map<string, FlowFact & { turns: number[] }>();
  for (const reading of readings) {
    for (const action of reading.actions) {
      for (const slot of action.slots) {
        const source = carriesData(slot) ? sources.get(slot.value) : undefined;
        if (source === undefined) continue;
        const key = `${source.verb}\u001f${source.key ?? ""}\u001f${action.verb}\u001f${slot.name}`;
        const known = facts.get(key);
        if (known !== undefined) known.turns.push(source.index, reading.index);
        else if (facts.size < FACT_LIMIT) facts.set(key, flow(source, action, slot, reading.index));
      }
    }
    const verb = reading.actions[0]?.verb;
    if (verb === undefined || reading.result === null || reading.error !== null) continue;
    for (const [value, key] of reading.values) {
      if (!sources.has(value)) sources.set(value, { index: reading.index, verb, key });
    }
  }
  return [...facts.values()];
}

function flow(source: Source, action: Action, slot: Slot, index: number): FlowFact & { turns: number[] } {
  const { key, verb: from } = source;
  return {
    kind: "flow",
    key,
    value: slot.value,
    from,
    to: action.verb,
    argument: slot.name,
    turns: [source.index, index],
  };
}

/** Values that stand for one certain thing; a word or a small number meets its equal by chance. */
function carriesData(slot: Slot): boolean {
  if (slot.fromQuery.length > 0 || slot.value.length < 3 || slot.kind !== null) return false;
  return (
    slot.type === "id" ||
    slot.type === "url" ||
    slot.type === "path" ||
    slot.type === "email" ||
    slot.type === "text"
  );
}
