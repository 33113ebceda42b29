/** What surrounds the operations: keys, routes, limits, faults, logs. */
import { describe, expect, it } from "vitest";
import { createAccept } from "../../src/accept/accept.ts";
import { createAdvise } from "../../src/advise/advise.ts";
import { createWorth } from "../../src/prove/worth.ts";
import { newKey } from "../../src/domain/api-key.ts";
import { StoreUnavailable } from "../../src/domain/errors.ts";
import { createForget } from "../../src/forget/forget.ts";
import { DEFAULT_LIMITS } from "../../src/http/reading/limits.ts";
import type { Queue } from "../../src/ports/queue.ts";
import type { Store } from "../../src/ports/store.ts";
import { bytesOf, exchangeRaw } from "../support/raw-http.ts";
import { startService, upload } from "../support/service.ts";

describe("the key", () => {
  it("is asked for before anything else is looked at", async () => {
    const { call } = await startService();
    for (const [method, target] of [
      ["GET", "/"],
      ["GET", "/nope"],
      ["DELETE", "/enhance_task"],
      ["POST", "/store_knowledge/"],
    ] as const) {
      expect((await call(method, target, { key: "bad" })).body.error).toBe("invalid_api_key");
      expect((await call(method, target, { key: null })).headers.get("www-authenticate")).toBe("APIKey");
    }
    expect((await call("POST", "/enhance_task", { key: "bad", body: "{" })).status).toBe(401);
  });

  it("is refused when it claims to be ours and its checksum is wrong", async () => {
    const { call, service, tenantId } = await startService();
    const key = newKey();
    await service.keys.issue(tenantId, {
      keyId: "k",
      hash: service.vault.hashKey(key),
      lastFour: "",
      label: "",
      createdAt: 1,
    });
    expect((await call("GET", "/", { key })).status).toBe(200);
    expect((await call("GET", "/", { key: key.slice(0, -1) + (key.endsWith("0") ? "1" : "0") })).status).toBe(
      401,
    );
  });

  it("is refused from the moment it is revoked", async () => {
    const { call, service, tenantId } = await startService();
    const [key] = await service.keys.list(tenantId);
    await service.keys.revoke(tenantId, key?.keyId ?? "", 1);
    expect((await call("GET", "/")).status).toBe(401);
  });

  it("is limited by address when it is wrong, and not when it is absent", async () => {
    const { call } = await startService({
      environment: { WHETSTONE_BAD_KEY_LIMIT: "3" },
      clock: () => 60_000,
    });
    for (let i = 0; i < 10; i++) expect((await call("GET", "/", { key: null })).status).toBe(401);
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await call("GET", "/", { key: `bad${i}` })).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await call("GET", "/")).status).toBe(200);
  });

  it("is never written to the log, nor is a body or a query string", async () => {
    const { call, logged } = await startService({ keys: ["canary-key-of-this-test"] });
    const key = "canary-key-of-this-test";
    await call("POST", "/store_knowledge", { key, body: upload("canary text", { tenant_id: key }) });
    await call("POST", "/store_knowledge", { key, body: { tenant_id: key, query: 5 } });
    await call("POST", `/delete_by_intent?tenant_id=${key}&intent=canary+text`, { key });
    await call("GET", `/nope?tenant_id=${key}`, { key });
    expect(logged.length).toBeGreaterThanOrEqual(4);
    expect(logged.join("")).not.toContain("canary");
  });
});

describe("what is open to all", () => {
  it("is health, the interface's description and its page", async () => {
    const { call } = await startService();
    expect(await call("GET", "/livez", { key: null })).toMatchObject({ status: 200 });
    expect(await call("GET", "/readyz?verbose", { key: null })).toMatchObject({
      status: 200,
      body: { checks: { database: "ok" } },
    });
    expect((await call("GET", "/openapi.json", { key: null })).body.openapi).toBe("3.1.0");
    const docs = await call("GET", "/docs", { key: null });
    expect(docs.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(docs.body).not.toMatch(/(?:src|href)="https?:/);
    const metrics = await call("GET", "/metrics", { key: null });
    expect(metrics.body).toContain("whetstone_http_requests_total");
    expect(metrics.body).not.toContain("key-a");
  });

  it("is not ready, with 503, when a check fails", async () => {
    const { call } = await startService({ app: { health: async () => ({ database: "away" }) } });
    expect(await call("GET", "/readyz", { key: null })).toMatchObject({
      status: 503,
      body: { status: "not ready" },
    });
    expect((await call("GET", "/livez", { key: null })).status).toBe(200);
  });
});

describe("routes", () => {
  it("answer 404, 405 with Allow, 307 without the slash, and HEAD as GET", async () => {
    const { call, port } = await startService();
    expect(await call("GET", "/nope")).toMatchObject({ status: 404, body: { detail: "Not Found" } });
    const wrong = await call("GET", "/enhance_task");
    expect(wrong).toMatchObject({ status: 405, body: { detail: "Method Not Allowed" } });
    expect(wrong.headers.get("allow")).toBe("POST");
    const slash = await exchangeRaw(
      port,
      bytesOf({
        method: "POST",
        target: "/enhance_task/?a=b",
        headers: { "x-api-key": "key-a", host: "here" },
      }),
    );
    expect(slash).toMatchObject({
      status: 307,
      headers: { location: "http://here/enhance_task?a=b" },
      body: "",
    });
    const head = await call("HEAD", "/");
    expect(head).toMatchObject({ status: 200, body: "" });
    expect(Number(head.headers.get("content-length"))).toBeGreaterThan(0);
  });
});

describe("limits", () => {
  it("refuse a body that is too large, announced or not, with 413", async () => {
    const { call, port } = await startService({ app: { limits: { ...DEFAULT_LIMITS, bodyBytes: 1_000 } } });
    const body = { tenant_id: "key-a", input_text: "x".repeat(2_000) };
    expect((await call("POST", "/enhance_task", { body })).status).toBe(413);
    const chunked = `POST /enhance_task HTTP/1.1\r\nhost: h\r\nx-api-key: key-a\r\ntransfer-encoding: chunked\r\n\r\n7d0\r\n${"x".repeat(2_000)}\r\n0\r\n\r\n`;
    expect((await exchangeRaw(port, Buffer.from(chunked)))?.status).toBe(413);
  });

  it("close a request whose body never comes, with 408", async () => {
    const { port } = await startService();
    const silent =
      "POST /enhance_task HTTP/1.1\r\nhost: h\r\nx-api-key: key-a\r\ncontent-length: 1000\r\n\r\n{}";
    expect((await exchangeRaw(port, Buffer.from(silent), 8_000))?.status).toBe(408);
  });

  it("close a connection whose headers never end", async () => {
    const { port } = await startService();
    expect((await exchangeRaw(port, Buffer.from("GET / HTTP/1.1\r\nhost: h\r\nx-a"), 8_000))?.status).toBe(
      408,
    );
  });

  it("hold a tenant to its rate, tell it, and leave others alone", async () => {
    const { call } = await startService({ environment: { WHETSTONE_RATE_LIMIT: "2" }, clock: () => 60_000 });
    const first = await call("GET", "/");
    expect(first.headers.get("ratelimit")).toBe('"default";r=1;t=60');
    await call("GET", "/");
    const over = await call("GET", "/");
    expect(over.status).toBe(429);
    expect(over.headers.get("retry-after")).toBe("60");
    expect((await call("GET", "/", { key: "key-b" })).status).toBe(200);
  });
});

describe("faults", () => {
  /** A store that throws, whatever it is asked, be it for a promise or for something to walk over. */
  const failing = (error: Error) => {
    const fail = () => {
      const rejected = Promise.reject(error);
      rejected.catch(() => {});
      return Object.assign(rejected, { [Symbol.asyncIterator]: () => ({ next: () => rejected }) });
    };
    return new Proxy({} as Store & Queue, { get: () => fail });
  };

  async function answers(error: Error) {
    const { service } = await startService();
    const broken = failing(error);
    const parts = { ...service, store: broken, queue: broken };
    const { call } = await startService({
      app: {
        accept: createAccept({ ...parts, wake: () => {} }),
        advise: createAdvise({
          ...parts,
          worthOf: createWorth(service),
          recording: true,
          holdout: 0,
          leaveOut: null,
          hashRequest: (intentId) => intentId,
        }),
        forget: createForget({ ...parts, intentOfUpload: async () => null }),
      },
    });
    return {
      enhance: await call("POST", "/enhance_task", { body: { tenant_id: "key-a", input_text: "x" } }),
      store: await call("POST", "/store_knowledge", { body: upload("x") }),
      remove: await call("POST", "/delete_by_intent?tenant_id=key-a&intent=x"),
    };
  }

  it("of ours are a 500 with a plain sentence and no stack", async () => {
    const { enhance, store, remove } = await answers(new Error("internal detail"));
    expect(enhance).toMatchObject({ status: 500, body: { detail: "Failed to process the task" } });
    expect(store).toMatchObject({ status: 500, body: { detail: "Error queueing knowledge" } });
    expect(remove).toMatchObject({ status: 500, body: { detail: "Failed to delete" } });
    expect(enhance.headers.get("x-request-id")).toBeTruthy();
  });

  it("that pass are a 503 with Retry-After", async () => {
    const { enhance, store, remove } = await answers(new StoreUnavailable("disk full"));
    for (const { status, headers } of [enhance, store, remove]) {
      expect(status).toBe(503);
      expect(headers.get("retry-after")).toBe("2");
    }
  });
});
