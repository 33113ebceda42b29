/** The worker by itself: a real queue, and learning that does as it is told. */
import { expect, it, onTestFinished } from "vitest";
import { PoisonedJob } from "../../src/domain/errors.ts";
import { MAX_FAILURES } from "../../src/domain/job.ts";
import { Vault } from "../../src/domain/vault.ts";
import type { Learn } from "../../src/learn/learn.ts";
import { openSqlite } from "../../src/stores/sqlite/sqlite.ts";
import { newIdentity } from "../../src/worker/identity.ts";
import { createWorker, type WorkerEvent } from "../../src/worker/worker.ts";
import { temporaryFolder } from "../support/folder.ts";

const vault = new Vault("a secret that is only for tests");

function open(learn: Learn, concurrency = 4) {
  const { queue, store } = openSqlite({ directory: temporaryFolder(), threaded: false, indexBytes: 1e6 });
  onTestFinished(() => store.close());
  let now = 1_000;
  const events: WorkerEvent[] = [];
  const worker = createWorker({
    queue,
    learn,
    vault,
    clock: () => now,
    name: newIdentity(),
    concurrency,
    observe: (event) => void events.push(event),
  });
  const enqueue = (tenantId: string, jobId: string) =>
    queue.enqueue(tenantId, { jobId, createdAt: now, payload: new Uint8Array([1]) });
  return { queue, worker, events, enqueue, pass: (ms: number) => void (now += ms) };
}

const learned = { created: 1, reinforced: 0, skipped: 0 };

it("tries a failing job again, later each time, and then gives it up with a sealed error", async () => {
  let tries = 0;
  const { queue, worker, enqueue, pass } = open(async () => {
    tries += 1;
    throw new Error("no luck");
  });
  await enqueue("a", "j1");
  for (let i = 0; i < MAX_FAILURES; i++) {
    expect(await worker.tick()).toBe(1);
    expect(await worker.tick()).toBe(0);
    pass(400_000);
  }
  expect(tries).toBe(MAX_FAILURES);
  const job = await queue.find("a", "j1");
  expect(job?.state).toBe("failed");
  expect(vault.openError("j1", job?.sealedError ?? "")).toContain("no luck");
  expect(job?.sealedError).not.toContain("no luck");
});

it("gives a job up at once when its payload can never be read", async () => {
  const { queue, worker, enqueue } = open(async () => {
    throw new PoisonedJob("damaged");
  });
  await enqueue("a", "j1");
  await worker.tick();
  expect((await queue.find("a", "j1"))?.state).toBe("failed");
});

it("works on one job at a time as long as they come from workers that died, so that only the guilty one is given up", async () => {
  const held: number[] = [];
  let under = 0;
  const { queue, worker, enqueue, pass } = open(async () => {
    held.push(++under);
    await new Promise(setImmediate);
    under -= 1;
    return learned;
  });
  for (const job of ["1", "2", "3", "4"]) await enqueue(`tenant ${job}`, job);
  await queue.claimAcrossTenants({ worker: "dead", now: 1_000, leaseUntil: 2_000, limit: 3 });
  pass(5_000);
  let rounds = 0;
  while ((await worker.tick()) > 0) rounds += 1;
  expect(held).toEqual([1, 1, 1, 1]);
  expect(rounds).toBe(4);
});

it("works on the jobs of one tenant one after another, and on those of others meanwhile", async () => {
  const order: string[] = [];
  const { worker, enqueue } = open(async ({ tenantId, fence: { jobId } }) => {
    order.push(`${tenantId} ${jobId} begins`);
    await new Promise(setImmediate);
    order.push(`${tenantId} ${jobId} ends`);
    return learned;
  });
  await enqueue("first", "0");
  await worker.tick();
  for (const [tenant, job] of [
    ["a", "1"],
    ["a", "2"],
    ["b", "1"],
  ] as const)
    await enqueue(tenant, job);
  await worker.tick();
  expect(order.indexOf("a 1 ends")).toBeLessThan(order.indexOf("a 2 begins"));
  expect(order.indexOf("b 1 begins")).toBeLessThan(order.indexOf("a 2 begins"));
});

it("goes on when the queue cannot be asked, and says so", async () => {
  const { queue, enqueue } = open(async () => learned);
  await enqueue("a", "j1");
  const stop = new AbortController();
  let asked = 0;
  const events: WorkerEvent[] = [];
  const flaky = createWorker({
    queue: {
      ...queue,
      claimAcrossTenants: async (claim) => {
        asked += 1;
        if (asked === 1) throw new Error("the disk is full");
        stop.abort();
        return queue.claimAcrossTenants(claim);
      },
    },
    learn: async () => learned,
    vault,
    clock: () => 1_000,
    name: newIdentity(),
    concurrency: 1,
    observe: (event) => {
      events.push(event);
      if (event.kind === "stalled") flaky.wake();
    },
  });
  await flaky.run(stop.signal);
  expect(events[0]).toMatchObject({ kind: "stalled" });
  expect(asked).toBe(2);
});

it("says that a job was lost when somebody else took it over", async () => {
  const { worker, events, enqueue } = open(async () => null);
  await enqueue("a", "j1");
  await worker.tick();
  expect(events).toMatchObject([{ kind: "ended", jobId: "j1", result: "lost" }]);
});
