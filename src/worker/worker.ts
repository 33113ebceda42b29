/** Claims jobs and learns from them: some at a time, leases kept alive, errors tried again, the hopeless given up. */
import { PoisonedJob } from "../domain/errors.ts";
import { HEARTBEAT_MS, LEASE_MS, MAX_FAILURES, retryDelay } from "../domain/job.ts";
import type { Vault } from "../domain/vault.ts";
import type { Learn } from "../learn/learn.ts";
import type { ClaimedJob, Queue } from "../ports/queue.ts";
import { isGone } from "./identity.ts";

export interface WorkerParts {
  readonly queue: Queue;
  readonly learn: Learn;
  readonly vault: Vault;
  readonly clock: () => number;
  /** This worker's name, as `identity.ts` makes it. */
  readonly name: string;
  /** Jobs at a time. */
  readonly concurrency: number;
  readonly observe: (event: WorkerEvent) => void;
}

export type WorkerEvent =
  | {
      readonly kind: "ended";
      readonly jobId: string;
      readonly result: JobResult;
      readonly ms: number;
      readonly error?: unknown;
    }
  | { readonly kind: "reclaimed"; readonly jobs: number }
  /** The queue itself could not be asked. */
  | { readonly kind: "stalled"; readonly error: unknown };

/** `lost`: somebody else took the job over, or it was deleted meanwhile; nothing was written. */
export type JobResult = "completed" | "failed" | "postponed" | "lost";

export interface Worker {
  /** Claims what there is room for and works it off; answers how many jobs that were. For tests and imports. */
  tick(): Promise<number>;
  /** Works until the signal aborts, then finishes what it holds. */
  run(signal: AbortSignal): Promise<void>;
  /** There is new work. */
  wake(): void;
}

const POLL_MS = 500;
const RECLAIM_MS = 5_000;

export function createWorker(parts: WorkerParts): Worker {
  const { queue, learn, vault, clock, name, concurrency, observe } = parts;
  const held = new Set<Promise<void>>();
  /** The last job under way of each tenant. */
  const lines = new Map<string, Promise<void>>();
  let wakeUp: () => void = () => {};
  /**
   * Jobs that were taken back from dead workers and not seen since. Until then one job is held at a time: only so is it
   * known which of them was the cause, and the others are not given up along with it.
   */
  let suspects = 0;

  async function claim(): Promise<ClaimedJob[]> {
    const now = clock();
    const limit = suspects > 0 ? Number(held.size === 0) : concurrency - held.size;
    if (limit <= 0) return [];
    const jobs = await queue.claimAcrossTenants({ worker: name, now, leaseUntil: now + LEASE_MS, limit });
    suspects =
      jobs.length === 0 ? 0 : Math.max(0, suspects - jobs.filter(({ crashes }) => crashes > 0).length);
    return jobs;
  }

  async function reclaim(): Promise<void> {
    const giveUp = (jobId: string) => vault.sealError(jobId, "the job took its worker down too often");
    const jobs = await queue.reclaimAcrossTenants({
      now: clock(),
      isGone: (worker) => isGone(worker, name),
      giveUp,
    });
    if (jobs === 0) return;
    suspects += jobs;
    observe({ kind: "reclaimed", jobs });
  }

  /**
   * Never rejects: whatever happens to a job is written down, and if even that fails its lease runs out. The lease is
   * kept alive from the start, also while the job waits for the one before it.
   */
  async function work(job: ClaimedJob, before: Promise<void>): Promise<void> {
    const heart = setInterval(() => {
      queue.heartbeat(job.tenantId, job.fence, clock() + LEASE_MS).catch(() => {});
    }, HEARTBEAT_MS);
    await before;
    const begun = performance.now();
    const end = (result: JobResult, error?: unknown) =>
      observe({ kind: "ended", jobId: job.fence.jobId, result, ms: performance.now() - begun, error });
    try {
      const counts = await learn(job);
      end(counts === null ? "lost" : "completed");
    } catch (error) {
      await giveBack(job, error).then(
        (result) => end(result, error),
        () => end("lost", error),
      );
    } finally {
      clearInterval(heart);
    }
  }

  async function giveBack(job: ClaimedJob, error: unknown): Promise<JobResult> {
    const failures = job.failures + 1;
    const now = clock();
    if (error instanceof PoisonedJob || failures >= MAX_FAILURES) {
      const sealedError = vault.sealError(job.fence.jobId, describe(error));
      return (await queue.fail(job.tenantId, job.fence, { at: now, sealedError })) ? "failed" : "lost";
    }
    const runAfter = now + retryDelay(failures);
    return (await queue.postpone(job.tenantId, job.fence, runAfter)) ? "postponed" : "lost";
  }

  /** Jobs of one tenant one after another, in their order: what a run teaches depends on what is known already. */
  async function start(jobs: readonly ClaimedJob[]): Promise<void> {
    const started = jobs.map((job) => {
      const before = lines.get(job.tenantId) ?? Promise.resolve();
      const working = work(job, before).finally(() => {
        held.delete(working);
        if (lines.get(job.tenantId) === working) lines.delete(job.tenantId);
      });
      lines.set(job.tenantId, working);
      held.add(working);
      return working;
    });
    await Promise.all(started);
  }

  return {
    async tick() {
      await reclaim();
      const jobs = await claim();
      await start(jobs);
      return jobs.length;
    },

    async run(signal) {
      signal.addEventListener("abort", () => wakeUp());
      let reclaimAt = 0;
      while (!signal.aborted) {
        let woken = false;
        const asked = new Promise<void>((resolve) => {
          wakeUp = () => {
            woken = true;
            resolve();
          };
        });
        try {
          if (performance.now() >= reclaimAt) {
            reclaimAt = performance.now() + RECLAIM_MS;
            await reclaim();
          }
          void start(await claim());
        } catch (error) {
          observe({ kind: "stalled", error });
        }
        // with room left, the queue is empty for now: wait to be woken; with none, for a job to end
        const rest = pause(POLL_MS);
        if (!woken) await Promise.race([rest.over, ...(held.size < concurrency ? [asked] : []), ...held]);
        rest.cancel();
      }
      await Promise.all(held);
    },

    wake: () => wakeUp(),
  };
}

function pause(ms: number): { readonly over: Promise<void>; readonly cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return { over, cancel: () => clearTimeout(timer) };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause =
    error.cause instanceof Error ? `\ncaused by: ${error.cause.stack ?? error.cause.message}` : "";
  return `${error.stack ?? error.message}${cause}`;
}
