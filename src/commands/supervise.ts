/** Keeps a learning thread running: starts it, watches it, and starts another when it dies or hangs. */
import { MessageChannel, Worker } from "node:worker_threads";
import type { Service } from "../service.ts";
import type { Logger } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { FromThread, ThreadData, ToThread } from "../worker-thread.ts";
import { newIdentity } from "../worker/identity.ts";
import type { WorkerEvent } from "../worker/worker.ts";

export interface SupervisedWorker {
  wake(): void;
  /** Lets the jobs under way end. */
  stop(): Promise<void>;
  /** What is wrong with it, for readiness. */
  trouble(): string | null;
}

export interface SuperviseParts {
  readonly service: Service;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** A thread without a sign of life for so long is stuck in one job. Its lease is over by then. */
const SILENT_MS = 60_000;
const RESTART_MS = 1_000;
/** One upload of the largest size needs far less; a job that needs more must not take the server with it. */
const MOST_HEAP_MB = 1_024;

export function superviseWorker({ service, metrics, log }: SuperviseParts): SupervisedWorker {
  let stopping = false;
  let thread: Worker | null = null;
  let restart: NodeJS.Timeout | null = null;

  const start = (): void => {
    const name = newIdentity();
    const { port1, port2 } = new MessageChannel();
    service.shareEmbedder(port1);
    const { space, dimensions } = service.embedder;
    const workerData: ThreadData = {
      config: service.config,
      name,
      embedder: { space, dimensions },
      embedderPort: port2,
    };
    const current = new Worker(new URL("../worker-thread.js", import.meta.url), {
      workerData,
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
    });
    thread = current;
    const watchdog = setTimeout(() => {
      log.error({ worker: name }, "the worker gives no sign of life and is stopped");
      void current.terminate();
    }, SILENT_MS);
    current.on("message", (message: FromThread) => {
      watchdog.refresh();
      if (message !== "alive") report(message.event, metrics, log);
    });
    current.on("error", (error) => log.error({ worker: name, err: error }, "the worker died"));
    current.on("exit", () => {
      clearTimeout(watchdog);
      port1.close();
      thread = null;
      if (stopping) return;
      void takeBack(name);
      restart = setTimeout(start, RESTART_MS);
    });
  };

  /** The dead thread's jobs need not wait for their leases: they are known to be lost. */
  const takeBack = async (name: string): Promise<void> => {
    const giveUp = (jobId: string) =>
      service.vault.sealError(jobId, "the job took its worker down too often");
    await service.queue
      .reclaimAcrossTenants({ now: service.clock(), isGone: (worker) => worker === name, giveUp })
      .catch((error: unknown) => log.error({ err: error }, "jobs of the dead worker were not taken back"));
  };

  start();
  return {
    wake: () => thread?.postMessage("wake" satisfies ToThread),
    trouble: () => (thread === null ? "the worker is being restarted" : null),
    async stop() {
      stopping = true;
      if (restart !== null) clearTimeout(restart);
      const current = thread;
      if (current === null) return;
      const ended = new Promise((resolve) => current.once("exit", resolve));
      current.postMessage("stop" satisfies ToThread);
      await ended;
    },
  };
}

export function report(event: WorkerEvent, metrics: Metrics | null, log: Logger): void {
  if (event.kind === "stalled") log.error({ err: event.error }, "the queue cannot be asked");
  if (event.kind === "reclaimed") log.warn({ jobs: event.jobs }, "took back jobs of a lost worker");
  if (event.kind !== "ended") return;
  const { jobId, result, ms, error } = event;
  metrics?.jobEnded({ result, seconds: ms / 1_000 });
  const line = { job_id: jobId, result, ms: Math.round(ms * 1_000) / 1_000 };
  if (error === undefined) log.info(line, "job");
  else log.warn({ ...line, err: error }, "job");
}
