/**
 * How long an enhancement takes as a tenant grows, with 1 and 16 clients, split by step; and how soon an upload is found.
 * `npm run bench:advise -- [--sizes 1000,10000]`. Loopback only, bounded, ends by itself. Requests are new texts each
 * time, so that no cache of ours answers them.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureKey } from "../src/commands/issue-key.ts";
import { readConfig } from "../src/config.ts";
import { contentId, newId } from "../src/domain/ids.ts";
import type { Insight } from "../src/domain/insight.ts";
import { intentOf, shapeFrom } from "../src/domain/intent.ts";
import { ALL, topics } from "../src/domain/topics.ts";
import { wordsOf } from "../src/domain/words.ts";
import type { Learned } from "../src/ports/store.ts";
import { openService, type Service } from "../src/service.ts";
import { median, quantile } from "./support/load.ts";

const KEY = "bench-key-for-advice-00001";
const sizes = (argument("--sizes") ?? "1000,10000,100000").split(",").map(Number);
const REQUESTS = 200;

const VERBS =
  "archive,book,cancel,check,close,compare,copy,delete,export,file,find,fix,forward,list,merge,move,open,order,plan,print,publish,rename,renew,repair,reserve,review,schedule,send,share,sort".split(
    ",",
  );
const THINGS =
  "account,address,agenda,archive,article,budget,calendar,campaign,card,catalogue,claim,contract,course,dashboard,document,event,flight,folder,form,invoice,issue,journey,letter,meeting,message,order,parcel,payment,permit,photo,policy,profile,project,receipt,record,refund,report,room,route,schedule,server,shift,song,statement,subscription,survey,table,ticket,tour,warehouse".split(
    ",",
  );
const MANNERS =
  "by date,by owner,for the board,for the new office,from last spring,in both languages,in the north branch,on behalf of a client,under the old terms,with a short note,without the annex,before the audit,after the holidays,for two people,at the lowest price".split(
    ",",
  );

/** The nth of 22,500 sentences and then of their numbered variants; neighbours in n are unrelated. */
function sentence(n: number): string {
  const at = (words: readonly string[], step: number) => words[Math.floor(n / step) % words.length] ?? "";
  const batch = Math.floor(n / (VERBS.length * THINGS.length * MANNERS.length));
  const variant = batch === 0 ? "" : ` in ${at(THINGS, 7)} group ${String.fromCodePoint(97 + (batch % 26))}`;
  return `${at(VERBS, 1)} the ${at(THINGS, VERBS.length)} ${at(MANNERS, VERBS.length * THINGS.length)}${variant}`;
}

for (const size of sizes) await measure(size);

async function measure(size: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "whetstone-bench-"));
  const service = await openService(readConfig({ WHETSTONE_DATA_DIR: directory }), { serving: false });
  await ensureKey(service, KEY);
  await fill(service, size);
  await service.close();
  const server = await start(directory);
  const warm = await enhance(server.port, "warm up the index");
  console.log(
    `\n${size} insights, ${size} kinds of requests: first answer ${warm.ms.toFixed(0)} ms (the index loads), RSS ${server.rssMb().toFixed(0)} MB`,
  );
  for (const clients of [1, 16]) {
    let next = 0;
    const answers: Answered[] = [];
    const begun = performance.now();
    await Promise.all(
      Array.from({ length: clients }, async () => {
        while (next < REQUESTS)
          answers.push(
            await enhance(
              server.port,
              `please ${sentence(7_919 * next++ + 13)} today, number ${next} for client ${clients}`,
            ),
          );
      }),
    );
    const seconds = (performance.now() - begun) / 1_000;
    const ms = answers.map((answer) => answer.ms).sort((a, b) => a - b);
    const steps = Object.keys(answers[0]?.timings ?? {}).map(
      (name) =>
        `${name.replace("_ms", "")} ${median(answers.map(({ timings }) => timings[name] ?? 0)).toFixed(2)}`,
    );
    console.log(
      `  ${String(clients).padStart(2)} clients: p50 ${quantile(ms, 0.5).toFixed(2)} ms, p99 ${quantile(ms, 0.99).toFixed(2)} ms, ${(REQUESTS / seconds).toFixed(0)}/s; by step, median ms: ${steps.join(", ")}`,
    );
  }
  console.log(`  a new upload was found after ${(await foundAfter(server.port)).toFixed(0)} ms`);
  server.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** Writes what learning would have written; only the texts are made up. */
async function fill(service: Service, size: number): Promise<void> {
  const tenantId = (await service.keys.findByHashAcrossTenants(service.vault.hashKey(KEY)))?.tenantId ?? "";
  const AT_ONCE = 250;
  for (let from = 0; from < size; from += AT_ONCE) {
    const texts = Array.from({ length: Math.min(AT_ONCE, size - from) }, (_, i) => sentence(from + i));
    const vectors = await service.embedder.embed(texts, { kind: "document" });
    await Promise.all(
      texts.map((_, i) =>
        service.queue.enqueue(tenantId, { jobId: newId(), createdAt: 1, payload: new Uint8Array([i & 255]) }),
      ),
    );
    const jobs = await service.queue.claimAcrossTenants({
      worker: "bench",
      now: 2,
      leaseUntil: 99_999,
      limit: texts.length,
    });
    await Promise.all(
      jobs.map(({ fence }, i) =>
        service.store.complete(
          tenantId,
          fence,
          learned(fence.jobId, texts[i] ?? "", vectors[i] ?? new Float32Array(384), service.embedder.space),
        ),
      ),
    );
  }
}

function learned(episodeId: string, text: string, vector: Float32Array, space: string): Learned {
  const intent = intentOf(text);
  const shape = shapeFrom(text);
  const familyId = shape.shapeId;
  const [verb = "do", , thing = "it"] = text.split(" ");
  const steps = [`find_${thing}(name={1})`, `${verb}_${thing}(id={2})`].map((step, i) => ({
    text: step,
    verb: step.slice(0, step.indexOf("(")),
    repeated: false,
    roles: { [i + 1]: { name: i === 0 ? "name" : "id", value: null, gap: null } },
  }));
  const insight: Insight = {
    insightId: contentId("bench", text),
    kind: "workflow",
    appliesWhen: text,
    topics: [topics.family(familyId)],
    structure: { kind: "workflow", steps },
  };
  return {
    episode: {
      episodeId,
      intentId: intent.intentId,
      shapeId: shape.shapeId,
      familyId,
      success: true,
      createdAt: 1,
      interaction: {
        query: text,
        turns: [],
        success: true,
        agentType: null,
        timestamp: null,
        metadata: null,
      },
    },
    intent: { ...intent, vector },
    shape: { ...shape, vector, words: wordsOf(text) },
    space,
    insights: [insight],
    evidence: [{ insightId: insight.insightId, stance: "for", value: null, from: 0, to: 1 }],
    tallies: [
      { topic: topics.episodes(familyId), key: ALL },
      ...wordsOf(text).map((key) => ({ topic: topics.words(familyId), key })),
    ],
    skipped: 0,
    completedAt: 2,
    notes: [],
  };
}

interface Answered {
  readonly ms: number;
  readonly response: string;
  readonly timings: Readonly<Record<string, number>>;
}

async function enhance(port: number, text: string): Promise<Answered> {
  const begun = performance.now();
  const body = JSON.stringify({ tenant_id: KEY, input_text: text });
  const answer = await fetch(`http://127.0.0.1:${port}/enhance_task`, {
    method: "POST",
    headers: headers(),
    body,
  });
  const { response, metadata } = (await answer.json()) as {
    response: string;
    metadata: Pick<Answered, "timings">;
  };
  return { ms: performance.now() - begun, response, timings: metadata.timings };
}

async function foundAfter(port: number): Promise<number> {
  const turns = [
    { turn: 1, inputs: "", decision: "open_aquarium(id=9)", result: "open" },
    { turn: 2, inputs: "open", decision: "feed_fish(grams=3)", result: "fed" },
  ];
  const body = JSON.stringify({
    tenant_id: KEY,
    query: "feed the fish in the aquarium",
    turns,
    success: true,
  });
  const begun = performance.now();
  await fetch(`http://127.0.0.1:${port}/store_knowledge`, { method: "POST", headers: headers(), body });
  for (let tries = 0; tries < 500; tries++) {
    if ((await enhance(port, "feed the fish in the aquarium")).response.includes("feed_fish"))
      return performance.now() - begun;
  }
  return Number.NaN;
}

function headers(): Record<string, string> {
  return { "content-type": "application/json", "x-api-key": KEY };
}

async function start(directory: string) {
  const child = spawn(process.execPath, [join("dist", "main.js"), "serve"], {
    env: { ...process.env, WHETSTONE_PORT: "0", WHETSTONE_DATA_DIR: directory, WHETSTONE_LOG_LEVEL: "info" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      const found = /"port":(\d+)/.exec(chunk.toString());
      if (found) resolve(Number(found[1]));
    });
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  const rssMb = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
  return { port, rssMb, stop: () => void child.kill("SIGTERM") };
}

function argument(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}
