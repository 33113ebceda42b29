/**
 * What the exposure log costs an enhancement: two servers over the same knowledge, one that records and holds out and
 * one that does not, asked in turns, so that whatever else the machine does meets both alike.
 * `npm run bench:exposure -- [--requests 2000] [--clients 4] [--outcomes 20000]`. Loopback only, bounded, ends by itself.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureKey } from "../src/commands/issue-key.ts";
import { readConfig } from "../src/config.ts";
import { openService } from "../src/service.ts";
import { newIdentity } from "../src/worker/identity.ts";
import { createWorker } from "../src/worker/worker.ts";
import { quantile } from "./support/load.ts";

const KEY = "bench-key-for-exposure-0001";
const REQUESTS = Number(argument("--requests") ?? 2_000);
const CLIENTS = Number(argument("--clients") ?? 4);
const OUTCOMES = Number(argument("--outcomes") ?? 20_000);
const RUNS = 60;
const HEADERS = { "content-type": "application/json", "x-api-key": KEY };

const directory = mkdtempSync(join(tmpdir(), "whetstone-bench-"));
await learn(join(directory, "off"));
cpSync(join(directory, "off"), join(directory, "on"), { recursive: true });
await fill(join(directory, "on"));
const off = await start(join(directory, "off"), { WHETSTONE_EXPOSURE_DAYS: "0" });
const on = await start(join(directory, "on"), { WHETSTONE_LEAVE_OUT: "0.1" });
await measure(200);
const { offMs, onMs } = await measure(REQUESTS);
for (const [name, ms] of [
  ["off", offMs],
  ["on", onMs],
] as const) {
  ms.sort((a, b) => a - b);
  const figures = [0.5, 0.9, 0.99].map((q) => `p${q * 100} ${quantile(ms, q).toFixed(2)} ms`);
  console.log(`exposure log ${name}: ${figures.join(", ")} (${ms.length} requests, ${CLIENTS} clients)`);
}
console.log(`p50 on / off: ${(quantile(onMs, 0.5) / quantile(offMs, 0.5)).toFixed(3)}`);
off.stop();
on.stop();
rmSync(directory, { recursive: true, force: true });

/** Each client asks one server and then the other, and begins with another one than its neighbour. */
async function measure(requests: number): Promise<{ offMs: number[]; onMs: number[] }> {
  const times = { offMs: [] as number[], onMs: [] as number[] };
  let next = 0;
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (next < requests) {
        const n = next++;
        const order = n % 2 === 0 ? ([off, on] as const) : ([on, off] as const);
        for (const server of order) {
          const ms = await enhance(server.port, `refund order ${10_000 + n}, please`);
          (server === on ? times.onMs : times.offMs).push(ms);
        }
      }
    }),
  );
  return times;
}

async function enhance(port: number, text: string): Promise<number> {
  const begun = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/enhance_task`, {
    method: "POST",
    headers: HEADERS,
    body: JSON.stringify({ tenant_id: KEY, input_text: text, agent_type: "helpdesk" }),
  });
  const { metadata } = (await answer.json()) as { metadata: { recommendations: unknown[] } };
  if (metadata.recommendations === undefined) throw new Error("not enhanced");
  return performance.now() - begun;
}

/** Outcomes of before, so that there is something to count and to rank by. */
async function fill(folder: string): Promise<void> {
  const service = await openService(readConfig({ WHETSTONE_DATA_DIR: folder }), { serving: false });
  const holder = await service.keys.findByHashAcrossTenants(service.vault.hashKey(KEY));
  const tenantId = holder?.tenantId ?? "";
  const insights = await service.store.listInsights(tenantId, { limit: 4 });
  const at = Date.now();
  const tell = async (n: number) => {
    const enhancementId = `old-${n}`;
    service.ledger.record(tenantId, {
      enhancementId,
      at,
      requestHash: `${n}`,
      agentType: "helpdesk",
      familyId: "f",
      arm: "shown",
      propensity: 1,
      exposures: insights.map(({ insight: { insightId, kind } }, i) => ({
        insightId,
        kind,
        shown: (n + i) % 10 > 0,
        propensity: 0.9,
        counts: true,
        speaksForKind: i === 0,
      })),
    });
    const outcome = { score: n % 2, turns: 3, at, source: "bench", note: null };
    await service.ledger.tell(tenantId, enhancementId, outcome);
  };
  for (let from = 0; from < OUTCOMES; from += 1_000)
    await Promise.all(Array.from({ length: 1_000 }, (_, i) => tell(from + i)));
  const begun = performance.now();
  await service.ledger.cells(tenantId, { by: "insight" });
  const counting = (performance.now() - begun).toFixed(0);
  const then = performance.now();
  await service.measureUplift(tenantId);
  console.log(
    `${OUTCOMES} outcomes: counting them by insight takes ${counting} ms, all of /uplift ${(performance.now() - then).toFixed(0)} ms`,
  );
  await service.close();
}

async function learn(folder: string): Promise<void> {
  const service = await openService(readConfig({ WHETSTONE_DATA_DIR: folder }), { serving: false });
  await ensureKey(service, KEY);
  const holder = await service.keys.findByHashAcrossTenants(service.vault.hashKey(KEY));
  for (let order = 1; order <= RUNS; order++) {
    await service.accept({
      tenantId: holder?.tenantId ?? "",
      interaction: {
        query: `${order % 3 === 0 ? "cancel" : "refund"} order ${order}`,
        turns: [
          ["get_order", "delivered"],
          ["refund", "error: field 'reason' is required"],
          ["refund_with_reason", "done"],
        ].map(([tool = "", result = ""], turn) => ({
          turn,
          inputs: "",
          decision: `${tool}(order=${order})`,
          memory: null,
          result,
        })),
        success: true,
        agentType: "helpdesk",
        timestamp: null,
        metadata: null,
      },
    });
  }
  const worker = createWorker({ ...service, name: newIdentity(), concurrency: 4, observe: () => {} });
  while ((await worker.tick()) > 0);
  await service.close();
}

async function start(folder: string, settings: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [join("dist", "main.js"), "serve", "--no-worker"], {
    env: { ...process.env, WHETSTONE_PORT: "0", WHETSTONE_DATA_DIR: folder, ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      const found = /"port":(\d+)/.exec(chunk.toString());
      if (found) resolve(Number(found[1]));
    });
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { port, stop: () => void child.kill("SIGTERM") };
}

function argument(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}
