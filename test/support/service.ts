/** The whole service in this process, behind a real port, with a worker that works when it is told to. */
import { onTestFinished } from "vitest";
import { readConfig } from "../../src/config.ts";
import { ensureKey } from "../../src/commands/issue-key.ts";
import { type AppParts, createApp } from "../../src/http/app.ts";
import { DEFAULT_LIMITS } from "../../src/http/reading/limits.ts";
import { startServer } from "../../src/http/server.ts";
import { openService, type Service } from "../../src/service.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { newIdentity } from "../../src/worker/identity.ts";
import { createWorker, type WorkerEvent } from "../../src/worker/worker.ts";
import { temporaryFolder } from "./folder.ts";

export interface TestService {
  readonly service: Service;
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  /** What the server wrote to its log. */
  readonly logged: string[];
  readonly events: WorkerEvent[];
  /** Of the first key. */
  readonly tenantId: string;
  /** Works off everything that is due. */
  workOff(): Promise<void>;
  call(method: string, target: string, options?: CallOptions): Promise<Called>;
}

export interface CallOptions {
  readonly key?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Called {
  readonly status: number;
  readonly headers: Headers;
  // eslint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface TestOptions {
  readonly keys?: readonly string[];
  readonly app?: Partial<AppParts>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly clock?: () => number;
}

export async function startService({
  keys = ["key-a", "key-b"],
  app = {},
  environment = {},
  clock = Date.now,
}: TestOptions = {}): Promise<TestService> {
  const dataDir = temporaryFolder();
  const config = readConfig({ WHETSTONE_DATA_DIR: dataDir, WHETSTONE_EMBEDDER: "lexical", ...environment });
  const service = await openService(config, { serving: false, clock });
  for (const key of keys) await ensureKey(service, key);
  const logged: string[] = [];
  const metrics = createMetrics(() => service.queue.countAcrossTenants());
  const parts: AppParts = {
    ...service,
    limits: DEFAULT_LIMITS,
    metrics,
    metricsHere: true,
    health: async () => ({ database: null }),
    enhanced: metrics.enhanced,
    log: createLogger("trace", { write: (line) => void logged.push(line) }),
    rateLimit: config.rateLimit,
    badKeyLimit: config.badKeyLimit,
    ...app,
  };
  const server = await startServer(
    { app: createApp(parts), limits: parts.limits, trustedProxies: config.trustedProxies },
    { port: 0, host: "127.0.0.1" },
  );
  const events: WorkerEvent[] = [];
  const worker = createWorker({
    ...service,
    name: newIdentity(),
    concurrency: 8,
    observe: (event) => void events.push(event),
  });
  onTestFinished(async () => {
    await server.drain();
    await service.close();
  });
  const url = `http://127.0.0.1:${server.port}`;
  const holder = await service.keys.findByHashAcrossTenants(service.vault.hashKey(keys[0] ?? ""));
  return {
    service,
    tenantId: holder?.tenantId ?? "",
    url,
    port: server.port,
    dataDir,
    logged,
    events,
    async workOff() {
      while ((await worker.tick()) > 0);
    },
    async call(method, target, { key = "key-a", body, headers = {} } = {}) {
      const response = await fetch(url + target, {
        method,
        headers: {
          connection: "close",
          ...(key === null ? {} : { "x-api-key": key }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
      return {
        status: response.status,
        headers: response.headers,
        body: isJson && text !== "" ? JSON.parse(text) : text,
      };
    },
  };
}

/** An upload as a caller sends it. */
export function upload(query: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    tenant_id: "key-a",
    query,
    turns: [
      { turn: 1, inputs: query, decision: "open_calendar()", result: "calendar is open" },
      {
        turn: 2,
        inputs: "calendar is open",
        decision: "create_event(title='standup')",
        result: "event created",
      },
    ],
    success: true,
    ...more,
  };
}
