/**
 * Recorded answers of a FastAPI service with this interface, replayed over raw sockets against a running server.
 * The recordings are not part of the repository: WHETSTONE_CONFORMANCE names the folder that holds them. What they
 * teach is covered without them by the suites beside this one and in test/http.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { bytesOf, exchangeRaw, type RawAnswer, type RawRequest } from "../support/raw-http.ts";
import { type RunningServer, startServer } from "../support/server.ts";

interface Case {
  readonly id: string;
  readonly group: string;
  readonly level: "must" | "should" | "may" | "own";
  readonly note: string;
  readonly why: string;
  readonly needs?: string;
  readonly request: RawRequest & { readonly timeout?: number };
  readonly expect: {
    readonly status: number;
    readonly headers?: Record<string, string>;
    readonly json?: unknown;
  };
}

interface Fuzzed {
  readonly kind: string;
  readonly request: RawRequest;
  readonly status: number;
  readonly detail?: unknown;
  readonly quirk?: unknown;
  readonly tenant_mismatch?: unknown;
}

const folder = process.env["WHETSTONE_CONFORMANCE"];
const AT_ONCE = 8;

describe.skipIf(folder === undefined)("recorded answers", () => {
  const cases = folder === undefined ? [] : readCases(folder);
  const fuzz = folder === undefined ? [] : readFuzz(folder);
  let server: RunningServer;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "whetstone-conformance-"));
    server = await startServer({ dataDir, environment: { WHETSTONE_BAD_KEY_LIMIT: "0" } });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const replay = (request: Case["request"]) => exchangeRaw(server.port, bytesOf(request), 10_000);

  it("are given for every case that must or should be alike", async () => {
    const wanted = cases.filter(
      ({ level, needs }) => (level === "must" || level === "should") && needs === undefined,
    );
    const wrong = await inParallel(wanted, async (one) => difference(one, await replay(one.request)));
    expect(wrong).toEqual([]);
    expect(wanted.length).toBeGreaterThanOrEqual(625);
  });

  it("are as we decided where the contract leaves them open", async () => {
    const wanted = cases.filter(
      ({ level, needs }) => (level === "own" || level === "may") && needs === undefined,
    );
    const wrong = await inParallel(wanted, async (one) => {
      const answer = await replay(one.request);
      const status = answer?.status ?? "closed";
      const allowed = decided(one);
      return allowed(status) ? null : `${one.id} (${one.note}): ${status} ${answer?.body ?? ""}`;
    });
    expect(wrong).toEqual([]);
  });

  it("are given for every generated request that is no quirk of the recorded service", async () => {
    const wanted = fuzz.filter(({ quirk }) => quirk === undefined);
    const wrong = await inParallel(wanted, async (one) => {
      const json = one.request.body === undefined ? {} : { "content-type": "application/json" };
      const headers = { "x-api-key": "key-a", ...json, ...one.request.headers };
      const answer = await replay({ ...one.request, headers });
      const status = one.tenant_mismatch === undefined ? one.status : 403;
      if (answer?.status !== status)
        return `${one.kind} ${JSON.stringify(one.request)}: ${answer?.status} ${answer?.body}`;
      const problems =
        one.detail === undefined || status !== 422 ? null : sameProblems({ detail: one.detail }, answer);
      return problems && `${one.kind} ${JSON.stringify(one.request)}: ${problems}`;
    });
    expect(wrong).toEqual([]);
  });

  it("are never a 5xx, and the server is still there", async () => {
    const { stdout } = server.output();
    expect(stdout).not.toContain("request failed");
    expect((await replay({ method: "GET", target: "/livez" }))?.status).toBe(200);
  });
});

function readCases(from: string): Case[] {
  return (JSON.parse(readFileSync(join(from, "cases.json"), "utf8")) as { cases: Case[] }).cases;
}

function readFuzz(from: string): Fuzzed[] {
  const lines = readFileSync(join(from, "fuzz.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Fuzzed);
}

async function inParallel<T>(
  items: readonly T[],
  check: (item: T) => Promise<string | null>,
): Promise<string[]> {
  const wrong: string[] = [];
  const rest = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of rest) {
        const trouble = await check(item).catch(
          (error: unknown) => `${JSON.stringify(item).slice(0, 200)}: ${String(error)}`,
        );
        if (trouble !== null) wrong.push(trouble);
      }
    }),
  );
  return wrong;
}

function difference(one: Case, answer: RawAnswer | null): string | null {
  const label = `${one.id} (${one.note})`;
  if (answer === null) return `${label}: no answer`;
  if (answer.status !== one.expect.status)
    return `${label}: ${answer.status} instead of ${one.expect.status}: ${answer.body}`;
  const { headers = {}, json } = one.expect;
  for (const name of ["allow", "location"]) {
    if (headers[name] !== undefined && answer.headers[name] !== headers[name])
      return `${label}: ${name} ${answer.headers[name]}`;
  }
  if (answer.status === 422) return sameProblems(json, answer) && `${label}: ${sameProblems(json, answer)}`;
  const sentence = (json as { detail?: unknown } | undefined)?.detail;
  if (typeof sentence === "string" && answer.body !== JSON.stringify({ detail: sentence }))
    return `${label}: ${answer.body}`;
  return null;
}

/** The same list of place, kind and message in the same order; null where it is. */
function sameProblems(expected: unknown, answer: RawAnswer): string | null {
  const essence = (body: unknown) =>
    JSON.stringify(
      (body as { detail: { loc: unknown; type: unknown; msg: unknown }[] }).detail.map(
        ({ loc, type, msg }) => [loc, type, msg],
      ),
    );
  const given = essence(JSON.parse(answer.body));
  return given === essence(expected) ? null : `${given} instead of ${essence(expected)}`;
}

type Allowed = (status: number | "closed") => boolean;

const is =
  (...statuses: readonly number[]): Allowed =>
  (status) =>
    statuses.includes(status as number);
const clean: Allowed = (status) => status === "closed" || status < 500;

/** Our decision on a point that the contract leaves open. */
function decided(one: Case): Allowed {
  const { method, target, headers = {} } = one.request;
  switch (one.group) {
    case "wire":
      return clean;
    case "status":
      return is(404);
    case "cors":
      return is(
        headers["x-api-key"] === undefined || headers["x-api-key"] === "bad" ? 401 : one.expect.status,
      );
    case "auth":
      if (target === "/openapi.json" || target === "/docs") return is(200);
      if (headers["x-api-key"] === "key-b") return is(target.startsWith("/knowledge_status") ? 404 : 403);
      return is(401);
    case "route":
      if (method === "HEAD")
        return is(target === "/" ? 200 : target.startsWith("/knowledge_status") ? 404 : 405);
      return clean;
  }
  if (one.why.startsWith("tenant_id differs")) return is(403);
  if (one.why.startsWith("NaN/Infinity literals")) return is(400, 422);
  if (one.why.startsWith("FastAPI itself answers 500")) return is(422, 400);
  if (one.why.startsWith("bounded by our limits")) return is(400, 413, 422);
  if (one.level === "may") return (status) => status === one.expect.status || is(400, 422)(status);
  return is(one.expect.status);
}
