/** A bounded load on loopback: so many connections, so many requests, latencies in milliseconds. */
import { Agent, request } from "node:http";

export interface LoadOptions {
  readonly port: number;
  readonly path: string;
  readonly key: string;
  readonly body: (n: number) => string;
  readonly connections: number;
  readonly requests: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
}

export async function load({
  port,
  path,
  key,
  body,
  connections,
  requests,
}: LoadOptions): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latencies: number[] = [];
  let failed = 0;
  let next = 0;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < requests) {
        const sent = performance.now();
        const status = await post(agent, port, path, key, body(next++)).catch(() => 0);
        latencies.push(performance.now() - sent);
        if (status < 200 || status > 299) failed += 1;
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1_000;
  agent.destroy();
  latencies.sort((a, b) => a - b);
  return {
    perSecond: requests / seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    failed,
  };
}

function post(agent: Agent, port: number, path: string, key: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "x-api-key": key,
    };
    const sent = request(
      { agent, host: "127.0.0.1", port, path, method: "POST", headers, timeout: 30_000 },
      (response) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode ?? 0));
      },
    );
    sent.on("error", reject);
    sent.on("timeout", () => sent.destroy(new Error("timeout")));
    sent.end(body);
  });
}

export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

/** An upload of about two kilobytes. */
export function ordinaryUpload(key: string, n: number): string {
  const turns = Array.from({ length: 8 }, (_, turn) => ({
    turn: turn + 1,
    inputs: `state ${turn} of task ${n}: the list has ${turn * 3} open items and two closed ones`,
    decision: `update_item(id=${n * 10 + turn}, status="done", comment="checked in step ${turn}")`,
    result: turn === 3 ? "error: item is locked by another user" : "ok, item updated",
  }));
  return JSON.stringify({
    tenant_id: key,
    query: `close the finished items of list ${n}`,
    turns,
    success: true,
  });
}
