import type { Action, Slot } from "../../domain/action.ts";
import { parseJson, readArguments } from "./json-calls.ts";
import type { QueryWords } from "./query-words.ts";
import { slotOf } from "./values.ts";
import { writeAction } from "./write-action.ts";

/** A decision that is, from its first to its last character, one `name(…)` or `name[…]`. */
export function readFunctionCall(text: string, query: QueryWords): Action | null {
  const head = /^([A-Za-z_][\w.:-]{0,80})\s?([([])/.exec(text);
  const name = head?.[1];
  if (head === null || name === undefined) return null;
  const bracket = head[2] === "[";
  const close = bracket ? "]" : ")";
  const tail = /[\s;.]{0,4}$/.exec(text)?.index ?? text.length;
  if (text[tail - 1] !== close) return null;
  const inside = text.slice(head[0].length, tail - 1);
  // `a(1) and b(2)` starts and ends like a call but is not one.
  if (!bracket && closesEarly(inside)) return null;
  return bracket
    ? writeAction("bracket", name, inside.trim() === "" ? [] : [slotOf("1", inside, true, query)])
    : writeAction("call", name, readCallArguments(inside, query));
}

function closesEarly(inside: string): boolean {
  let depth = 0;
  let quote = "";
  for (let at = 0; at < inside.length; at += 1) {
    const char = inside[at] ?? "";
    if (quote !== "") {
      if (char === "\\") at += 1;
      else if (char === quote) quote = "";
    } else if (opensQuote(inside, at)) quote = char;
    else if (char === "(") depth += 1;
    else if (char === ")" && (depth -= 1) < 0) return true;
  }
  return false;
}

/** An apostrophe inside a word does not open a quote. */
function opensQuote(text: string, at: number): boolean {
  const char = text[at];
  if (char !== '"' && char !== "'" && char !== "`") return false;
  return at === 0 || /[\s,=([{:]/.test(text[at - 1] ?? "");
}

function readCallArguments(inside: string, query: QueryWords): Slot[] {
  const json = /^\s*[[{]/.test(inside) ? parseJson(inside) : undefined;
  if (json !== undefined) return readArguments(json, query);
  return splitArguments(inside).map((part, index) => readArgument(part, index, query));
}

function readArgument(part: string, index: number, query: QueryWords): Slot {
  const named = /^([A-Za-z_]\w{0,60})\s?[=:]\s?(?!=)/.exec(part);
  const name = named?.[1] ?? String(index + 1);
  const raw = named === null ? part : part.slice(named[0].length);
  const quoted = /^(["'`])/.test(raw) && raw.length > 1 && raw.at(-1) === raw[0];
  return slotOf(name, quoted ? raw.slice(1, -1) : raw, quoted, query);
}

/** Splits at commas that stand outside quotes and brackets. */
function splitArguments(inside: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = "";
  let from = 0;
  for (let at = 0; at < inside.length; at += 1) {
    const char = inside[at] ?? "";
    if (quote !== "") {
      if (char === "\\") at += 1;
      else if (char === quote) quote = "";
    } else if (opensQuote(inside, at)) quote = char;
    else if (char === "(" || char === "[" || char === "{") depth += 1;
    else if (char === ")" || char === "]" || char === "}") depth -= 1;
    else if (char === "," && depth === 0) {
      parts.push(inside.slice(from, at).trim());
      from = at + 1;
    }
  }
  parts.push(inside.slice(from).trim());
  return parts.filter((part) => part !== "").slice(0, 40);
}
