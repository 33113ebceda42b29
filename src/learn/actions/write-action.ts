import type { Action, ActionForm, Slot } from "../../domain/action.ts";

const VERB_LIMIT = 80;
const SLOT_LIMIT = 40;

/** Completes an action with its three spellings. */
export function writeAction(form: ActionForm, verb: string, slots: readonly Slot[]): Action {
  const name = verb.trim().slice(0, VERB_LIMIT);
  const kept = slots.slice(0, SLOT_LIMIT);
  const write = form === "command" || form === "sentence" ? writeCommand : writeCall;
  return {
    form,
    verb: name,
    slots: kept,
    signature: write(name, kept, writeType),
    template: write(name, kept, writeTemplateValue),
    text: write(name, kept, writeReadableValue),
  };
}

/** `take mug from desk`: the object follows the verb, the rest follows its preposition, in the order it was said. */
function writeCommand(verb: string, slots: readonly Slot[], value: (slot: Slot) => string): string {
  return [
    verb,
    ...slots.map((slot) => (slot.name === "object" ? value(slot) : `${slot.name} ${value(slot)}`)),
  ].join(" ");
}

/** `get_order(id={id}, lines[].sku={id})`: arguments sorted by name, since their order means nothing; repeats once. */
function writeCall(verb: string, slots: readonly Slot[], value: (slot: Slot) => string): string {
  if (slots.length === 0) return verb;
  const positional = slots.filter((slot) => /^\d+$/.test(slot.name)).map(value);
  const named = slots.filter((slot) => !/^\d+$/.test(slot.name)).map((slot) => `${slot.name}=${value(slot)}`);
  return `${verb}(${[...positional, ...new Set(named.sort())].join(", ")})`;
}

function writeType(slot: Slot): string {
  return slot.fromQuery.length > 0 ? "{query}" : `{${slot.type}}`;
}

function writeTemplateValue(slot: Slot): string {
  if (slot.fromQuery.length > 0) return `{query:${slot.fromQuery.join(" ")}}`;
  return keepsMeaning(slot) ? (slot.kind ?? slot.value) : `{${slot.type}}`;
}

function writeReadableValue(slot: Slot): string {
  if (slot.kind !== null) return slot.kind;
  if (slot.fromQuery.length > 0) return slot.fromQuery.join(" ");
  return keepsMeaning(slot) ? slot.value : `{${slot.type}}`;
}

/** Ids, dates and long text belong to one task; nouns, options and switches are what the next task can use. */
function keepsMeaning(slot: Slot): boolean {
  return slot.type === "thing" || slot.type === "word" || slot.type === "boolean";
}
