/**
 * The thread in which `serve` learns: a service of its own, so that analysing an upload never holds up a request, and
 * one that runs out of memory takes only this thread down.
 */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { Config } from "./config.ts";
import { HEARTBEAT_MS } from "./domain/job.ts";
import { type EmbedderFacts, sharedEmbedder } from "./embedders/shared.ts";
import { openService } from "./service.ts";
import { createWorker, type WorkerEvent } from "./worker/worker.ts";

export interface ThreadData {
  readonly config: Config;
  readonly name: string;
  /** The server's embedder, and the way to it. */
  readonly embedder: EmbedderFacts;
  readonly embedderPort: MessagePort;
}

export type ToThread = "wake" | "stop";
/** `alive` comes with every heartbeat; its absence means that something loops. Errors travel as text. */
export type FromThread = "alive" | { readonly event: WorkerEvent };

const port = parentPort;
if (port === null) throw new Error("this file runs as a worker thread");
const { config, name, embedder, embedderPort } = workerData as ThreadData;

const service = await openService(config, {
  serving: false,
  embedder: sharedEmbedder(embedder, embedderPort),
});
const worker = createWorker({
  ...service,
  name,
  concurrency: config.concurrency,
  observe: (event) => port.postMessage({ event: withErrorAsText(event) } satisfies FromThread),
});
service.onWake(() => worker.wake());
const stop = new AbortController();
port.on("message", (message: ToThread) => (message === "wake" ? worker.wake() : stop.abort()));
const alive = setInterval(() => port.postMessage("alive" satisfies FromThread), HEARTBEAT_MS);
await worker.run(stop.signal);
clearInterval(alive);
await service.close();
port.close();

function withErrorAsText(event: WorkerEvent): WorkerEvent {
  if (!("error" in event) || !(event.error instanceof Error)) return event;
  return { ...event, error: event.error.stack ?? event.error.message };
}
