import type * as z from "zod";
import { bodyAsUtf8 } from "./body-encoding.ts";
import { needsScan, scanBody } from "./body-scan.ts";
import { FIELD_REQUIRED, NOT_AN_OBJECT, type Problem } from "./flaw.ts";
import type { RequestLimits } from "./limits.ts";
import { checkJson, type ExactJson, JsonError, OversizeInteger, parseExactly } from "./python-json.ts";
import { read, type Reading } from "./reader.ts";
import { invalidJson, type Refusal, tooLarge, unparsableBody, unprocessable } from "./validation.ts";

/**
 * Reads a request body as FastAPI would: what the schema describes, or the answer to give instead. No body
 * within the limits keeps the event loop busy for long.
 */
export function readBody<S extends z.ZodType>(
  schema: S,
  bytes: Uint8Array,
  contentType: string | undefined,
  limits: RequestLimits,
): { readonly ok: true; readonly value: z.output<S> } | Refusal {
  if (bytes.length > limits.bodyBytes) return bodyTooLarge(limits);
  if (bytes.length === 0) return refusedWhole(FIELD_REQUIRED, null);
  if (!isJson(contentType)) return refusedWhole(NOT_AN_OBJECT, textForEcho(bytes));
  const utf8 = bodyAsUtf8(bytes);
  if (utf8 === null) return unparsableBody();
  let text = utf8.toString("utf8");
  let plain = true;
  if (needsScan(text, limits.nesting, limits.jsonValues)) {
    const scan = scanBody(utf8, limits.nesting, limits.jsonValues);
    if (scan.excess !== null) return tooLarge(scan.excess);
    if (scan.repaired !== null) text = scan.repaired.toString("utf8");
    plain = scan.plainNumbers;
  }
  const json = plain ? parsePlainly(text) : orRefusal(() => parseExactly(text));
  if ("ok" in json) return json;
  if (json.value === null) return refusedWhole(FIELD_REQUIRED, null);
  const outcome = readAll(schema, json, limits);
  if (!outcome.reading.orderInDoubt) return answer(outcome);
  const exact = orRefusal(() => parseExactly(text));
  return "ok" in exact ? exact : answer(readAll(schema, exact, limits));
}

/** Also for a caller that counts the bytes as they come in. */
export function bodyTooLarge(limits: RequestLimits): Refusal {
  return tooLarge(`Request body exceeds the limit of ${limits.bodyBytes} bytes`);
}

/** As Python's email package reads the header, which is how FastAPI asks. No header at all means JSON. */
function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType === "") return true;
  const [type, subtype, ...more] = (contentType.split(";", 1)[0] ?? "").trim().toLowerCase().split("/");
  if (type !== "application" || subtype === undefined || more.length > 0) return false;
  return subtype === "json" || subtype.endsWith("+json");
}

function refusedWhole(flaw: Problem["flaw"], input: unknown): Refusal {
  return unprocessable("body", [{ flaw, loc: [], input }]);
}

/** Longer texts are not echoed anyway, so they are not decoded either. */
function textForEcho(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 2048)).toString("utf8");
}

const AS_WRITTEN: ReadonlyMap<object, readonly string[]> = new Map();

function parsePlainly(text: string): ExactJson | Refusal {
  try {
    return { value: JSON.parse(text) as unknown, keyOrder: AS_WRITTEN };
  } catch (cause) {
    return orRefusal(() => {
      checkJson(text);
      throw cause;
    });
  }
}

function orRefusal(parse: () => ExactJson): ExactJson | Refusal {
  try {
    return parse();
  } catch (error) {
    if (error instanceof JsonError) return invalidJson(error.message, error.position);
    if (error instanceof OversizeInteger) return unparsableBody();
    throw error;
  }
}

function readAll<S extends z.ZodType>(schema: S, json: ExactJson, limits: RequestLimits) {
  const reading: Reading = {
    problems: [],
    echoSurroundings: true,
    maxItems: limits.turns,
    keyOrder: json.keyOrder,
    orderInDoubt: false,
  };
  return { value: read(schema, json.value, reading), reading };
}

function answer<T>(outcome: { readonly value: T; readonly reading: Reading }) {
  const { problems } = outcome.reading;
  return problems.length > 0 ? unprocessable("body", problems) : { ok: true as const, value: outcome.value };
}
