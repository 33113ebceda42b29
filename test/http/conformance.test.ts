/**
 * The recorded answers of a real FastAPI service, held against ours without a server: every case about a
 * body or a query string. WHETSTONE_CONFORMANCE names the directory with cases.json and fuzz.jsonl.
 */

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { scanBody } from "../../src/http/reading/body-scan.ts";
import { DEFAULT_LIMITS } from "../../src/http/reading/limits.ts";
import { parseExactly } from "../../src/http/reading/python-json.ts";
import { readBody } from "../../src/http/reading/read-body.ts";
import { readQuery } from "../../src/http/reading/read-query.ts";
import { AgentInput, AgentKnowledgeUpload, DeleteByIntent } from "../../src/http/interface/schemas.ts";

const directory = process.env.WHETSTONE_CONFORMANCE ?? "";
const recorded = directory !== "" && existsSync(path.join(directory, "cases.json"));

const Request = z.object({
  method: z.string(),
  target: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  headers_list: z.array(z.tuple([z.string(), z.string()])).optional(),
  body: z.string().optional(),
  body_b64: z.string().optional(),
  raw_b64: z.string().optional(),
});
const Detail = z.array(
  z.object({ type: z.string(), loc: z.array(z.unknown()), msg: z.string(), ctx: z.unknown().optional() }),
);
const Case = z.object({
  id: z.string(),
  group: z.string(),
  level: z.string(),
  needs: z.unknown().optional(),
  request: Request,
  expect: z.looseObject({
    status: z.number().optional(),
    parsed: z.unknown().optional(),
    json: z.unknown().optional(),
  }),
});
const Fuzz = z.object({
  kind: z.string(),
  request: Request,
  status: z.number(),
  detail: z.unknown().optional(),
  parsed: z.unknown().optional(),
  quirk: z.string().optional(),
});

const GROUPS = new Set(["enhance", "ctype", "store", "int", "bool", "time", "delete"]);

/** Where our decisions part from FastAPI: literals that are no JSON, and nesting beyond our limit. */
const NO_JSON_NUMBER = /[:,[](?:NaN|-?Infinity|1e400|1e999)/;
const DEEPLY_NESTED = /\[{65}/;

const cases = recorded
  ? z
      .object({ cases: z.array(Case) })
      .parse(exactly(readFileSync(path.join(directory, "cases.json"))))
      .cases.filter((one) => GROUPS.has(one.group) && one.needs === undefined)
  : [];
const fuzz = recorded
  ? readFileSync(path.join(directory, "fuzz.jsonl"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => Fuzz.parse(exactly(Buffer.from(line))))
  : [];

describe.skipIf(!recorded)("the recorded cases", () => {
  it.each(cases)("$level $id", ({ level, request, expect: { status = 0, json, parsed } }) => {
    const ours = level === "own" ? ourOwn(request.body ?? "", status) : undefined;
    const expected = ours ?? summary(status, detailOf(json), parsed);
    expect(summaryOf(answerTo(request), expected)).toEqual(expected);
  });
});

describe.skipIf(!recorded)("the generated requests", () => {
  it.each([...new Set(fuzz.map((line) => line.kind))])("%s", (kind) => {
    const lines = fuzz.filter((line) => line.kind === kind && line.quirk === undefined);
    expect(lines.length).toBeGreaterThan(0);
    for (const { request, status, detail, parsed } of lines) {
      const theirs = summary(status, detail, parsed);
      expect({ request, ...summaryOf(answerTo(request), theirs, kind) }).toEqual({ request, ...theirs });
    }
  });
});

/** What is held equal: what was understood, or the status and what is said about each problem. */
interface Summary {
  readonly accepted?: unknown;
  readonly status?: number;
  readonly detail?: unknown;
}

const UNRECORDED = "too long to be recorded";

function summary(status: number, detail: unknown, parsed: unknown): Summary {
  if (status < 400) return { accepted: isAbridged(parsed) ? UNRECORDED : parsed };
  return { status, detail: detail === undefined ? UNRECORDED : told(detail) };
}

function summaryOf(answer: ReturnType<typeof answerTo>, theirs: Summary, kind = ""): Summary {
  if (answer.ok) {
    return { accepted: theirs.accepted === UNRECORDED ? UNRECORDED : comparable(answer.value, kind) };
  }
  const { detail } = answer.body;
  if (theirs.detail === UNRECORDED) return { status: answer.status, detail: UNRECORDED };
  if (theirs.detail === "json_invalid" && typeof detail !== "string") {
    return { status: answer.status, detail: detail[0]?.type };
  }
  return { status: answer.status, detail: told(detail) };
}

function ourOwn(body: string, status: number): Summary | undefined {
  if (NO_JSON_NUMBER.test(body)) {
    return { status: 422, detail: "json_invalid" };
  }
  if (DEEPLY_NESTED.test(body)) return { status: 413, detail: UNRECORDED };
  // FastAPI fails to encode its own 422 answer here.
  return status === 500 ? { status: 422, detail: UNRECORDED } : undefined;
}

function answerTo(request: z.output<typeof Request>) {
  const [pathname, ...search] = (request.target ?? "").split("?");
  if (pathname === "/delete_by_intent") {
    return readQuery(DeleteByIntent, search.join("?"), DEFAULT_LIMITS);
  }
  const headers =
    request.headers_list ?? Object.entries(request.headers ?? { "content-type": "application/json" });
  const contentType = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1];
  const encoded = request.body_b64 ?? request.raw_b64;
  const bytes = encoded === undefined ? Buffer.from(request.body ?? "") : Buffer.from(encoded, "base64");
  return pathname === "/enhance_task"
    ? readBody(AgentInput, bytes, contentType, DEFAULT_LIMITS)
    : readBody(AgentKnowledgeUpload, bytes, contentType, DEFAULT_LIMITS);
}

/** Our value in the recording's terms. */
function comparable(value: object, kind: string): unknown {
  const plain: Record<string, unknown> = { ...value };
  delete plain.dry_run;
  if ("similarity_threshold" in plain)
    plain.similarity_threshold = pythonRepr(Number(plain.similarity_threshold));
  // The recording service filled in this moment where none was sent.
  if ("turns" in plain) plain.timestamp ??= "2000-01-01T00:00:00";
  if (kind.startsWith("datetime")) return plain.timestamp;
  if (kind.startsWith("bool")) return plain.success;
  if (kind.startsWith("float")) return plain.similarity_threshold;
  if (kind.startsWith("int")) return z.array(z.object({ turn: z.unknown() })).parse(plain.turns)[0]?.turn;
  return plain;
}

function pythonRepr(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e16)) {
    return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

function told(detail: unknown): unknown {
  if (!Array.isArray(detail)) return detail;
  return Detail.parse(detail).map(({ type, loc, msg, ctx }) => ({ type, loc, msg, ctx }));
}

function detailOf(json: unknown): unknown {
  return typeof json === "object" && json !== null && "detail" in json ? json.detail : undefined;
}

/** Long values were left out of the recording. */
function isAbridged(parsed: unknown): boolean {
  return typeof parsed === "object" && parsed !== null && "!" in parsed;
}

/** With big integers as they are, and U+FFFD for the lone surrogates that FastAPI lets through. */
function exactly(json: Buffer): unknown {
  const { repaired } = scanBody(json, Infinity, Infinity);
  return parseExactly((repaired ?? json).toString("utf8")).value;
}
