import { parseJson } from "./actions/json-calls.ts";

const VALUES_PER_RESULT = 500;

/** Values of a result with their keys: from JSON, from `key: value` lines, from labels in brackets, and bare ids. */
export function valuesIn(result: string): Map<string, string | null> {
  const values = new Map<string, string | null>();
  const json = /^\s*[{[]/.test(result) ? parseJson(result) : undefined;
  if (json !== undefined) collectJson(json, null, values, 0);
  else collectText(result, values);
  return values;
}

function collectJson(
  value: unknown,
  key: string | null,
  values: Map<string, string | null>,
  depth: number,
): void {
  if (values.size >= VALUES_PER_RESULT || depth > 8) return;
  if (Array.isArray(value)) {
    for (const item of value.slice(0, VALUES_PER_RESULT)) collectJson(item, key, values, depth + 1);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      // A key that is itself an id holds data too: {"card_81": {...}}.
      if (/\d/.test(name) && !values.has(name)) values.set(name, key);
      collectJson(item, name, values, depth + 1);
    }
  } else if (typeof value === "string" || typeof value === "number") {
    const text = String(value);
    if (text.length >= 3 && text.length <= 200 && !values.has(text)) values.set(text, key);
  }
}

function collectText(text: string, values: Map<string, string | null>): void {
  for (const match of text.matchAll(
    /^[ \t*-]{0,8}["']?([A-Za-z][\w -]{0,39}?)["']?\*{0,2}[ \t]?[:=][ \t]?\*{0,2}[ \t]?["']?([^\s"',][^\n"',]{0,120})/gm,
  )) {
    const value = match[2]?.trim() ?? "";
    if (value.length >= 3 && values.size < VALUES_PER_RESULT && !values.has(value))
      values.set(value, match[1]?.trim() ?? null);
  }
  for (const match of text.matchAll(/\[([^[\]\n]{3,80})\]|[\w@.:/+-]{3,120}/g)) {
    if (match[1] === undefined && !/\d/.test(match[0])) continue;
    const value = (match[1] ?? match[0]).replace(/[.,:;]{1,9}$/, "").trim();
    if (value.length >= 3 && values.size < VALUES_PER_RESULT && !values.has(value)) values.set(value, null);
  }
}
