/** One decision, parsed: what was done, with which arguments, and what of it can be carried over to another task. */
export interface Action {
  readonly form: ActionForm;
  /** Tool, program with subcommand, or verb: `get_order`, `git push`, `take`, `say`. Lower case unless it is a tool's own name. */
  readonly verb: string;
  readonly slots: readonly Slot[];
  /** Only types, no values: `take {query} from {thing}`. Equal signatures are the same kind of step in any task. */
  readonly signature: string;
  /** Values that carry meaning stay, values that belong to one task become slots: `take {query:mug} from desk`. */
  readonly template: string;
  /** The template as a person would say it: `take mug from desk`. */
  readonly text: string;
}

/**
 * How the decision was written. `speech` (verb `say` or `ask`) is talk to a person: it belongs to the dialogue and is
 * never a step that a plan repeats.
 */
export type ActionForm =
  | "json"
  | "tag"
  | "call"
  | "bracket"
  | "shell"
  | "code"
  | "command"
  | "sentence"
  | "speech";

/**
 * `thing` is a noun with or without an instance number (`drawer 3`), `word` a short plain value such as an option,
 * `text` anything longer, `placeholder` what redaction or the caller put in place of a value (`<email_1>`).
 */
export type SlotType =
  | "id"
  | "number"
  | "date"
  | "url"
  | "path"
  | "email"
  | "boolean"
  | "placeholder"
  | "thing"
  | "word"
  | "text";

export interface Slot {
  /** Argument name, flag, preposition (`from`), or `object`; the position (`1`, `2`) where nothing names it. */
  readonly name: string;
  readonly type: SlotType;
  /** As written, cut to 200 characters. */
  readonly value: string;
  /** For a thing: its noun without number (`drawer`); otherwise null. */
  readonly kind: string | null;
  /** For a thing: its number (`3`); null where none is written. */
  readonly instance: string | null;
  /** The words of the value that stand in the query, in the value's order. Empty: the value does not come from there. */
  readonly fromQuery: readonly string[];
}

/** Talk is part of the dialogue, not of the work. */
export function isSpeech(action: Action): boolean {
  return action.form === "speech";
}

/** Tells two actions apart by their values too; repeats of one exact action have the same key. */
export function exactKey(action: Action): string {
  return [action.verb, ...action.slots.map((slot) => `${slot.name}=${slot.value}`)].join("\u001f");
}
