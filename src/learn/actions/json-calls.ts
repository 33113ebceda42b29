import type { Action, Slot } from "../../domain/action.ts";
import type { QueryWords } from "./query-words.ts";
import { slotOf } from "./values.ts";
import { writeAction } from "./write-action.ts";

type Json = Readonly<Record<string, unknown>>;

const NAME_KEYS = [
  "name",
  "tool",
  "tool_name",
  "function_name",
  "action",
  "command",
  "recipient_name",
  "function",
];
const ARGUMENT_KEYS = [
  "arguments",
  "args",
  "input",
  "parameters",
  "params",
  "action_input",
  "tool_input",
  "kwargs",
];
const LIST_KEYS = ["tool_calls", "tool_uses", "calls", "actions", "function_call", "function"];

const DEPTH_LIMIT = 4;
const SLOT_LIMIT = 40;

/** Tool calls written as JSON in any of the usual shapes; empty when the JSON is not a call. */
export function readJsonCalls(text: string, query: QueryWords): Action[] {
  const start = text.trimStart()[0];
  if (start !== "{" && start !== "[") return [];
  return callsIn(parseJson(text), query, 0);
}

/** undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function callsIn(value: unknown, query: QueryWords, depth: number): Action[] {
  if (depth > DEPTH_LIMIT) return [];
  if (Array.isArray(value))
    return value.slice(0, SLOT_LIMIT).flatMap((item) => callsIn(item, query, depth + 1));
  if (!isObject(value)) return [];
  const name = NAME_KEYS.map((key) => value[key]).find((found) => typeof found === "string" && found !== "");
  if (typeof name !== "string") return LIST_KEYS.flatMap((key) => callsIn(value[key], query, depth + 1));
  const given = ARGUMENT_KEYS.map((key) => value[key]).find((found) => found !== undefined);
  // Some agents write the arguments beside the name instead of under a key of their own.
  const beside = Object.fromEntries(Object.entries(value).filter(([key]) => !SIDE_KEYS.has(key)));
  return [writeAction("json", name, readArguments(given ?? beside, query))];
}

const SIDE_KEYS = new Set([...NAME_KEYS, "id", "type", "thought", "thoughts", "reasoning", "index"]);

/** Flattens arguments to slots: `{flights:[{date}]}` becomes `flights[].date`. A JSON string is read as JSON. */
export function readArguments(value: unknown, query: QueryWords): Slot[] {
  const slots: Slot[] = [];
  const given = typeof value === "string" ? (asContainer(value) ?? value) : value;
  flatten("", given, query, slots, 0);
  return slots;
}

function asContainer(text: string): unknown {
  return /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
}

function flatten(name: string, value: unknown, query: QueryWords, slots: Slot[], depth: number): void {
  if (slots.length >= SLOT_LIMIT || depth > DEPTH_LIMIT || value === undefined) return;
  if (Array.isArray(value)) {
    for (const item of value.slice(0, SLOT_LIMIT)) flatten(`${name}[]`, item, query, slots, depth + 1);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value).slice(0, SLOT_LIMIT)) {
      flatten(name === "" ? key : `${name}.${key}`, item, query, slots, depth + 1);
    }
  } else {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    slots.push(slotOf(name === "" ? "1" : name.slice(0, 80), text, typeof value === "string", query));
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
