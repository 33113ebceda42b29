/** Uploads from many connections while the server is killed again and again, and then the books are checked. */
import { setTimeout as sleep } from "node:timers/promises";
import { startServer } from "../support/server.ts";

export interface KillReport {
  readonly kills: number;
  readonly acknowledged: number;
  /** Acknowledged, and not completed in the end. */
  readonly lost: number;
  /** Uploads that were stored more often than they were sent. */
  readonly doubled: number;
  /** Stored without the caller having been told; a retry is what Idempotency-Key is for. */
  readonly unacknowledged: number;
}

const KEY = "kill-loop-key-of-the-tests";

export async function killLoop(
  dataDir: string,
  options: { kills: number; connections: number; upMs: number },
): Promise<KillReport> {
  const acknowledged = new Map<string, string>();
  let sent = 0;
  for (let kill = 0; kill < options.kills; kill++) {
    const server = await startServer({ dataDir, keys: [KEY] });
    const load = new AbortController();
    const clients = Array.from({ length: options.connections }, async () => {
      while (!load.signal.aborted) {
        const query = `upload number ${sent++}`;
        const jobId = await upload(server.url, query).catch(() => null);
        if (jobId !== null) acknowledged.set(jobId, query);
      }
    });
    // a different moment of the work each time, and the same moments in every run
    await sleep(options.upMs * (0.5 + ((kill * 7) % 10) / 10));
    await server.stop("SIGKILL");
    load.abort();
    await Promise.all(clients);
  }
  return account(dataDir, acknowledged, options.kills);
}

async function upload(url: string, query: string): Promise<string | null> {
  const response = await fetch(`${url}/store_knowledge`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": KEY },
    body: JSON.stringify({
      tenant_id: KEY,
      query,
      turns: [{ turn: 1, inputs: query, decision: "act()", result: "done" }],
      success: true,
    }),
    signal: AbortSignal.timeout(10_000),
  });
  return response.status === 202 ? ((await response.json()) as { job_id: string }).job_id : null;
}

async function account(
  dataDir: string,
  acknowledged: ReadonlyMap<string, string>,
  kills: number,
): Promise<KillReport> {
  const server = await startServer({ dataDir, keys: [KEY] });
  const get = async (target: string) => {
    const response = await fetch(server.url + target, { headers: { "x-api-key": KEY } });
    return response.json() as Promise<{ status: string }>;
  };
  let lost = 0;
  for (const jobId of acknowledged.keys()) {
    let { status } = await get(`/knowledge_status/${jobId}`);
    while (status === "processing") {
      await sleep(20);
      ({ status } = await get(`/knowledge_status/${jobId}`));
    }
    if (status !== "completed") lost += 1;
  }
  const preview = await fetch(
    `${server.url}/delete_by_intent?tenant_id=${KEY}&intent=x&similarity_threshold=0&dry_run=true`,
    {
      method: "POST",
      headers: { "x-api-key": KEY },
    },
  );
  const { matches } = (await preview.json()) as { matches: { job_id: string; intent: string }[] };
  await server.stop();
  const intents = new Set(matches.map(({ intent }) => intent));
  const missing = [...acknowledged.values()].filter((query) => !intents.has(query)).length;
  return {
    kills,
    acknowledged: acknowledged.size,
    lost: Math.max(lost, missing),
    doubled: matches.length - intents.size,
    unacknowledged: matches.length - acknowledged.size,
  };
}
