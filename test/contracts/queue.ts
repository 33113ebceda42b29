/** What every Queue must do. An adapter's test calls this with a way to open an empty one. */
import { expect, it } from "vitest";
import { LEASE_MS, MAX_CRASHES } from "../../src/domain/job.ts";
import type { ClaimedJob } from "../../src/ports/queue.ts";
import type { Stores } from "./stores.ts";

const PAYLOAD = new Uint8Array([1, 2, 3]);

export function queueContract(open: () => Promise<Stores>): void {
  const job = (jobId: string, createdAt = 1_000) => ({ jobId, createdAt, payload: PAYLOAD });
  const claim = (now: number, limit = 1, worker = "w") => ({
    worker,
    now,
    leaseUntil: now + LEASE_MS,
    limit,
  });
  const reclaim = (now: number) => ({ now, isGone: () => false, giveUp: (id: string) => `sealed ${id}` });

  const only = (jobs: ClaimedJob[]): ClaimedJob => {
    expect(jobs).toHaveLength(1);
    return jobs[0] as ClaimedJob;
  };

  it("finds a job of its own tenant only", async () => {
    const { queue } = await open();
    await queue.enqueue("a", job("j1"));
    expect(await queue.find("a", "j1")).toMatchObject({
      jobId: "j1",
      state: "queued",
      createdAt: 1_000,
      startedAt: null,
    });
    expect(await queue.find("b", "j1")).toBeNull();
    expect(await queue.find("a", "other")).toBeNull();
  });

  it("hands a job to one worker, with its payload and a fence", async () => {
    const { queue } = await open();
    await queue.enqueue("a", job("j1"));
    const claimed = only(await queue.claimAcrossTenants(claim(2_000)));
    expect(claimed).toMatchObject({ tenantId: "a", fence: { jobId: "j1", attempt: 1 }, failures: 0 });
    expect([...claimed.payload]).toEqual([...PAYLOAD]);
    expect(await queue.claimAcrossTenants(claim(2_000))).toEqual([]);
    expect(await queue.find("a", "j1")).toMatchObject({ state: "running", startedAt: 2_000 });
  });

  it("lets tenants take turns, however long one queue is", async () => {
    const { queue } = await open();
    for (let i = 0; i < 50; i++) await queue.enqueue("greedy", job(`g${String(i).padStart(2, "0")}`));
    await queue.claimAcrossTenants(claim(2_000, 4));
    await queue.enqueue("quiet", job("q1"));
    await queue.enqueue("other", job("o1"));
    const next = await queue.claimAcrossTenants(claim(2_000, 3));
    expect(next.map(({ tenantId }) => tenantId).sort()).toEqual(["greedy", "other", "quiet"]);
  });

  it("hands out a tenant's jobs in the order in which they came", async () => {
    const { queue } = await open();
    for (const id of ["j1", "j2", "j3"]) await queue.enqueue("a", job(id));
    const claimed = await queue.claimAcrossTenants(claim(2_000, 3));
    expect(claimed.map(({ fence }) => fence.jobId)).toEqual(["j1", "j2", "j3"]);
  });

  it("runs a postponed job again at its time and not before", async () => {
    const { queue } = await open();
    await queue.enqueue("a", job("j1"));
    const first = only(await queue.claimAcrossTenants(claim(2_000)));
    expect(await queue.postpone("a", first.fence, 5_000)).toBe(true);
    expect(await queue.claimAcrossTenants(claim(4_999))).toEqual([]);
    const second = only(await queue.claimAcrossTenants(claim(5_000)));
    expect(second).toMatchObject({ fence: { jobId: "j1", attempt: 2 }, failures: 1 });
  });

  it("refuses whatever a worker with an old fence still tries", async () => {
    const { queue } = await open();
    await queue.enqueue("a", job("j1"));
    const old = only(await queue.claimAcrossTenants(claim(2_000)));
    await queue.reclaimAcrossTenants(reclaim(2_000 + LEASE_MS + 1));
    const current = only(await queue.claimAcrossTenants(claim(40_000)));
    expect(await queue.heartbeat("a", old.fence, 99_000)).toBe(false);
    expect(await queue.postpone("a", old.fence, 0)).toBe(false);
    expect(await queue.fail("a", old.fence, { at: 1, sealedError: "x" })).toBe(false);
    expect(await queue.heartbeat("a", current.fence, 99_000)).toBe(true);
    expect(await queue.heartbeat("b", current.fence, 99_000)).toBe(false);
  });

  it("takes back a job whose lease ran out, and not one whose heart beats", async () => {
    const { queue } = await open();
    await queue.enqueue("a", job("j1"));
    const claimed = only(await queue.claimAcrossTenants(claim(2_000)));
    await queue.heartbeat("a", claimed.fence, 80_000);
    expect(await queue.reclaimAcrossTenants(reclaim(2_000 + LEASE_MS + 1))).toBe(0);
    expect(await queue.reclaimAcrossTenants(reclaim(80_001))).toBe(1);
    expect(await queue.find("a", "j1")).toMatchObject({ state: "queued" });
  });

  it("takes back the jobs of a worker that is known to be gone, at once", async () => {
    const { queue } = await open();
    await queue.enqueue("a", job("j1"));
    await queue.enqueue("a", job("j2"));
    await queue.claimAcrossTenants(claim(2_000, 1, "dead"));
    await queue.claimAcrossTenants(claim(2_000, 1, "living"));
    expect(
      await queue.reclaimAcrossTenants({ ...reclaim(2_001), isGone: (worker) => worker === "dead" }),
    ).toBe(1);
    expect(await queue.find("a", "j1")).toMatchObject({ state: "queued" });
    expect(await queue.find("a", "j2")).toMatchObject({ state: "running" });
  });

  it("fails a job that took its worker down too often, with the sealed error", async () => {
    const { queue } = await open();
    await queue.enqueue("a", job("j1"));
    for (let i = 0; i < MAX_CRASHES; i++) {
      await queue.claimAcrossTenants(claim(100_000 * (i + 1)));
      await queue.reclaimAcrossTenants(reclaim(100_000 * (i + 1) + LEASE_MS + 1));
    }
    expect(await queue.find("a", "j1")).toMatchObject({ state: "failed", sealedError: "sealed j1" });
  });

  it("keeps a failed upload, and retries it with a clean slate", async () => {
    const { queue } = await open();
    await queue.enqueue("a", job("j1"));
    const claimed = only(await queue.claimAcrossTenants(claim(2_000)));
    await queue.fail("a", claimed.fence, { at: 3_000, sealedError: "sealed" });
    expect(await queue.list("a", { state: "failed", limit: 10 })).toMatchObject([
      { jobId: "j1", endedAt: 3_000 },
    ]);
    expect(await queue.retry("b", "j1", 4_000)).toBe(false);
    expect(await queue.retry("a", "j1", 4_000)).toBe(true);
    expect(await queue.retry("a", "j1", 4_000)).toBe(false);
    const again = only(await queue.claimAcrossTenants(claim(5_000)));
    expect(again).toMatchObject({ failures: 0 });
    expect(again.payload.length).toBe(PAYLOAD.length);
  });

  it("knows a retried upload by its idempotency key, and one used for another body", async () => {
    const { queue } = await open();
    const once = (jobId: string, bodyHash: string) => ({
      ...job(jobId),
      idempotency: { keyHash: "k", bodyHash },
    });
    expect(await queue.enqueue("a", once("j1", "x"))).toEqual({ kind: "accepted", jobId: "j1" });
    expect(await queue.enqueue("a", once("j2", "x"))).toEqual({ kind: "replayed", jobId: "j1" });
    expect(await queue.enqueue("a", once("j3", "y"))).toEqual({ kind: "conflict" });
    expect(await queue.enqueue("b", once("j4", "y"))).toEqual({ kind: "accepted", jobId: "j4" });
    expect(await queue.find("a", "j2")).toBeNull();
  });

  it("makes one job of concurrent uploads with one idempotency key", async () => {
    const { queue } = await open();
    const uploads = Array.from({ length: 20 }, (_, i) =>
      queue.enqueue("a", { ...job(`j${i}`), idempotency: { keyHash: "k", bodyHash: "x" } }),
    );
    const kinds = (await Promise.all(uploads)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "accepted")).toHaveLength(1);
    expect(kinds.filter((kind) => kind === "replayed")).toHaveLength(19);
    expect((await queue.countAcrossTenants()).queued).toBe(1);
  });

  it("takes a job id once", async () => {
    const { queue } = await open();
    await queue.enqueue("a", job("j1"));
    expect(await queue.enqueue("a", job("j1"))).toEqual({ kind: "replayed", jobId: "j1" });
    expect(await queue.enqueue("b", job("j1"))).toEqual({ kind: "accepted", jobId: "j1" });
  });

  it("shows the uploads that are only in the queue, of one tenant", async () => {
    const { queue } = await open();
    await Promise.all(
      Array.from({ length: 450 }, (_, i) => queue.enqueue("a", job(`j${String(i).padStart(3, "0")}`))),
    );
    await queue.enqueue("b", job("other"));
    const seen: string[] = [];
    for await (const chunk of queue.pending("a")) seen.push(...chunk.map(({ jobId }) => jobId));
    expect(seen).toHaveLength(450);
    expect(new Set(seen).size).toBe(450);
  });

  it("goes on when the clock is set back by a day", async () => {
    const { queue } = await open();
    const day = 86_400_000;
    await queue.enqueue("a", job("waiting", 2 * day));
    expect(await queue.claimAcrossTenants(claim(day))).toHaveLength(1);
    await queue.enqueue("a", job("running", 2 * day));
    await queue.claimAcrossTenants(claim(2 * day));
    expect(await queue.reclaimAcrossTenants(reclaim(day))).toBeGreaterThan(0);
  });
}
