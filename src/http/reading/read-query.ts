import type * as z from "zod";
import type { RequestLimits } from "./limits.ts";
import { read, type Reading } from "./reader.ts";
import { type Refusal, tooLarge, unprocessable } from "./validation.ts";

/** Reads a query string, without its `?`, as FastAPI would. Unknown parameters are passed over. */
export function readQuery<S extends z.ZodType>(
  schema: S,
  query: string,
  limits: RequestLimits,
): { readonly ok: true; readonly value: z.output<S> } | Refusal {
  if (query.length > limits.queryBytes) {
    return tooLarge(`Query string exceeds the limit of ${limits.queryBytes} bytes`);
  }
  const reading: Reading = {
    problems: [],
    echoSurroundings: false,
    maxItems: limits.turns,
    keyOrder: new Map(),
    orderInDoubt: false,
  };
  const value = read(schema, parameters(query), reading);
  return reading.problems.length > 0 ? unprocessable("query", reading.problems) : { ok: true, value };
}

/** A parameter given several times has its last value; one given without `=` is empty. */
function parameters(query: string): Record<string, string> {
  const last = new Map<string, string>();
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    if (equals === -1) last.set(decode(pair), "");
    else last.set(decode(pair.slice(0, equals)), decode(pair.slice(equals + 1)));
  }
  return Object.fromEntries(last);
}

/** As Python's `unquote_plus`: what is no valid escape stays, what is no valid UTF-8 becomes U+FFFD. */
function decode(text: string): string {
  const spaced = text.replaceAll("+", " ");
  return spaced.includes("%") ? spaced.replace(/(?:%[0-9a-fA-F]{2})+/g, fromEscapes) : spaced;
}

function fromEscapes(escapes: string): string {
  return Buffer.from(escapes.replaceAll("%", ""), "hex").toString("utf8");
}
