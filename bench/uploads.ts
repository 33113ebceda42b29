/**
 * Durable uploads: what sharing commits is worth, how soon an upload is acknowledged, and what a request costs.
 * `npm run bench:uploads`. Ratios of one interleaved run; loopback only, bounded, ends by itself.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../src/domain/ids.ts";
import { openSqlite } from "../src/stores/sqlite/sqlite.ts";
import { load, median, ordinaryUpload } from "./support/load.ts";

const KEY = "bench-key-for-uploads-0001";
const ROUNDS = 7;
const folder = mkdtempSync(join(tmpdir(), "whetstone-bench-"));

console.log("durable enqueues of ~2 kB through the store, one interleaved run");
await sharedCommits();
console.log("\nPOST /store_knowledge over HTTP, 32 connections against 1, one interleaved run");
await overHttp();
rmSync(folder, { recursive: true, force: true });

async function sharedCommits(): Promise<void> {
  const { queue, store } = openSqlite({ directory: folder, threaded: false, indexBytes: 1e6 });
  const payload = Buffer.from(ordinaryUpload(KEY, 1));
  const enqueue = () => queue.enqueue("bench", { jobId: newId(), payload, createdAt: Date.now() });
  const rates: Record<"shared" | "each", number[]> = { shared: [], each: [] };
  for (let round = 0; round < ROUNDS; round++) {
    let begun = performance.now();
    for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 32 }, enqueue));
    rates.shared.push(640 / ((performance.now() - begun) / 1_000));
    begun = performance.now();
    for (let i = 0; i < 64; i++) await enqueue();
    rates.each.push(64 / ((performance.now() - begun) / 1_000));
  }
  const [shared, each] = [median(rates.shared), median(rates.each)];
  console.log(
    `  32 a commit ${shared.toFixed(0)}/s, one a commit ${each.toFixed(0)}/s: ${(shared / each).toFixed(1)}x`,
  );
  await store.close();
}

interface Running {
  readonly port: number;
  readonly cpuSeconds: () => number;
  readonly stop: () => void;
}

async function overHttp(): Promise<void> {
  const servers = {
    whetstone: await start([join("dist", "main.js"), "serve", "--no-worker"], "whetstone"),
    bare: await start(
      ["--import", "tsx", join("bench", "support", "bare-server.ts"), "plain", folder, KEY],
      "bare",
    ),
    "bare, durable": await start(
      [
        "--import",
        "tsx",
        join("bench", "support", "bare-server.ts"),
        "durable",
        mkdtempSync(join(folder, "d-")),
        KEY,
      ],
      "durable",
    ),
  };
  const body = (n: number) => ordinaryUpload(KEY, n);
  // authenticated, parsed, validated, and then refused: everything but storing it
  const foreign = (n: number) => ordinaryUpload("not-the-key", n);
  const cpu: Record<string, number[]> = {};
  const many: { perSecond: number; p99: number; p50: number }[] = [];
  const single: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, { port, cpuSeconds }] of Object.entries(servers)) {
      const requests = 1_500;
      const before = cpuSeconds();
      const result = await load({
        port,
        path: "/store_knowledge",
        key: KEY,
        body,
        connections: 32,
        requests,
      });
      if (result.failed > 0) throw new Error(`${name}: ${result.failed} requests failed`);
      // the first round warms the compiler up
      if (round > 0) (cpu[name] ??= []).push(((cpuSeconds() - before) / requests) * 1e6);
      if (name === "whetstone" && round > 0) many.push(result);
    }
    const before = servers.whetstone.cpuSeconds();
    await load({
      port: servers.whetstone.port,
      path: "/store_knowledge",
      key: KEY,
      body: foreign,
      connections: 32,
      requests: 1_500,
    });
    if (round > 0)
      (cpu["whetstone, without storing"] ??= []).push(
        ((servers.whetstone.cpuSeconds() - before) / 1_500) * 1e6,
      );
    const one = await load({
      port: servers.whetstone.port,
      path: "/store_knowledge",
      key: KEY,
      body,
      connections: 1,
      requests: 100,
    });
    single.push(one.perSecond);
  }
  const rate = median(many.map(({ perSecond }) => perSecond));
  console.log(
    `  32 connections ${rate.toFixed(0)}/s, 1 connection (one commit each) ${median(single).toFixed(0)}/s: ${(rate / median(single)).toFixed(1)}x`,
  );
  console.log(
    `  acknowledged in p50 ${median(many.map(({ p50 }) => p50)).toFixed(1)} ms, p99 ${median(many.map(({ p99 }) => p99)).toFixed(1)} ms`,
  );
  for (const [name, values] of Object.entries(cpu)) {
    console.log(
      `  server CPU a request, ${name}: best ${Math.min(...values).toFixed(0)} us, median ${median(values).toFixed(0)} us`,
    );
  }
  for (const { stop } of Object.values(servers)) stop();
}

async function start(words: readonly string[], name: string): Promise<Running> {
  const child = spawn(process.execPath, words, {
    env: {
      ...process.env,
      WHETSTONE_PORT: "0",
      WHETSTONE_DATA_DIR: join(folder, name),
      WHETSTONE_BOOTSTRAP_KEYS: KEY,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await new Promise<number>((resolve, reject) => {
    let seen = false;
    child.stdout.on("data", (chunk: Buffer) => {
      const found = /"port":(\d+)|^(\d+)$/m.exec(chunk.toString());
      if (!seen && found) {
        seen = true;
        resolve(Number(found[1] ?? found[2]));
      }
    });
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code}`)));
  });
  return { port, cpuSeconds: () => cpuSecondsOf(child.pid ?? 0), stop: () => child.kill("SIGTERM") };
}

/** User and system time of all threads, from Linux's own books. */
function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
