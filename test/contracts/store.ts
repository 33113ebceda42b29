/** What every Store must do. */
import { expect, it } from "vitest";
import type { ClaimedJob } from "../../src/ports/queue.ts";
import type { Learned, StoredIntent } from "../../src/ports/store.ts";
import { learnedFrom, unitVector } from "../support/learned.ts";
import type { Stores } from "./stores.ts";

export function storeContract(open: () => Promise<Stores>): void {
  async function started(tenants: readonly string[] = ["a"]) {
    const stores = await open();
    for (const tenant of tenants) await stores.keys.createTenant(tenant, { name: tenant, createdAt: 1 });
    return stores;
  }

  async function claimed({ queue }: Stores, tenantId: string, jobId: string): Promise<ClaimedJob> {
    await queue.enqueue(tenantId, { jobId, createdAt: 1, payload: new Uint8Array([1]) });
    const [job] = await queue.claimAcrossTenants({ worker: "w", now: 2, leaseUntil: 60_000, limit: 1 });
    if (job === undefined) throw new Error("nothing to claim");
    return job;
  }

  async function learn(stores: Stores, tenantId: string, learned: Learned) {
    const { fence } = await claimed(stores, tenantId, learned.episode.episodeId);
    return stores.store.complete(tenantId, fence, learned);
  }

  const search = (direction: number, words: readonly string[] = []) => ({
    vector: { space: "test", values: unitVector(direction) },
    words,
    limit: 10,
  });

  it("completes the job together with what was learned, and wipes the upload", async () => {
    const stores = await started();
    expect(await learn(stores, "a", learnedFrom("j1", "book a flight"))).toEqual({
      created: 1,
      reinforced: 0,
      skipped: 0,
    });
    expect(await stores.queue.find("a", "j1")).toMatchObject({
      state: "completed",
      outcome: { insights: { created: 1, reinforced: 0, skipped: 0 } },
    });
    for await (const chunk of stores.queue.pending("a")) expect(chunk).toEqual([]);
  });

  it("writes nothing for a worker that lost its job", async () => {
    const stores = await started();
    const { fence } = await claimed(stores, "a", "j1");
    await stores.queue.reclaimAcrossTenants({ now: 60_001, isGone: () => false, giveUp: () => "" });
    const learned = learnedFrom("j1", "book a flight");
    expect(await stores.store.complete("a", fence, learned)).toBeNull();
    expect(await stores.store.episodesOf("a", [learned.episode.intent.intentId])).toEqual([]);
    expect(await stores.store.searchIntents("a", search(0))).toEqual([]);
  });

  it("counts the same insight as reinforced and not as new", async () => {
    const stores = await started();
    await learn(stores, "a", learnedFrom("j1", "book a flight", { steps: ["search"] }));
    expect(
      await learn(stores, "a", learnedFrom("j2", "Book a flight!", { steps: ["search"], success: false })),
    ).toMatchObject({
      created: 0,
      reinforced: 1,
    });
    const { intentId } = learnedFrom("j1", "book a flight").episode.intent;
    expect(await stores.store.insightsFor("a", [intentId])).toMatchObject([
      { support: { succeeded: 1, failed: 1 }, total: { succeeded: 1, failed: 1 }, sources: ["j2", "j1"] },
    ]);
  });

  it("finds an intent by its vector and by its words, with its exact cosine", async () => {
    const stores = await started();
    await learn(stores, "a", learnedFrom("j1", "book a flight", { direction: 0 }));
    await learn(stores, "a", learnedFrom("j2", "cancel the hotel", { direction: 1 }));
    expect(await stores.store.searchIntents("a", search(0))).toMatchObject([
      { text: "book a flight", cosine: 1 },
    ]);
    const byWord = await stores.store.searchIntents("a", search(5, ["hotel"]));
    expect(byWord).toMatchObject([{ text: "cancel the hotel", cosine: 0 }]);
  });

  it("finds at once what was just learned and no longer what was just forgotten", async () => {
    const stores = await started();
    for (let i = 0; i < 8; i++) {
      await learn(stores, "a", learnedFrom(`j${i}`, `task number ${i}`, { direction: i }));
      expect(await stores.store.searchIntents("a", search(i))).toMatchObject([{ text: `task number ${i}` }]);
    }
    await stores.store.forget("a", { episodeIds: ["j3"], jobIds: [], at: 9 });
    expect(await stores.store.searchIntents("a", search(3))).toEqual([]);
    expect(await stores.store.searchIntents("a", search(4))).toHaveLength(1);
  });

  it("never shows a tenant anything of another", async () => {
    const stores = await started(["a", "b"]);
    const learned = learnedFrom("j1", "book a flight");
    await learn(stores, "a", learned);
    const { intentId } = learned.episode.intent;
    expect(await stores.store.searchIntents("b", search(0, ["flight"]))).toEqual([]);
    expect(await stores.store.insightsFor("b", [intentId])).toEqual([]);
    expect(await stores.store.episodesOf("b", [intentId])).toEqual([]);
    expect(await stores.store.forget("b", { episodeIds: ["j1"], jobIds: ["j1"], at: 9 })).toEqual({
      episodes: 0,
      insights: 0,
      uploads: 0,
    });
    for await (const chunk of stores.store.allIntents("b", "test")) expect(chunk).toEqual([]);
    expect(await stores.store.episodesOf("a", [intentId])).toHaveLength(1);
  });

  it("walks over every intent once, with its vector if that is of the space asked for", async () => {
    const stores = await started();
    const episodes = Array.from({ length: 250 }, (_, i) =>
      learnedFrom(`j${i}`, `task ${i}`, { direction: i % 8 }),
    );
    await Promise.all(
      episodes.map(({ episode: { episodeId: jobId } }) =>
        stores.queue.enqueue("a", { jobId, createdAt: 1, payload: new Uint8Array([1]) }),
      ),
    );
    const jobs = await stores.queue.claimAcrossTenants({
      worker: "w",
      now: 2,
      leaseUntil: 60_000,
      limit: 250,
    });
    const byId = new Map(episodes.map((learned) => [learned.episode.episodeId, learned]));
    await Promise.all(
      jobs.map(({ fence }) =>
        stores.store.complete("a", fence, byId.get(fence.jobId) ?? learnedFrom(fence.jobId, "?")),
      ),
    );
    const all: StoredIntent[] = [];
    for await (const chunk of stores.store.allIntents("a", "test")) all.push(...chunk);
    expect(new Set(all.map(({ text }) => text)).size).toBe(250);
    expect(all.every(({ vector }) => vector?.length === 8)).toBe(true);
    for await (const chunk of stores.store.allIntents("a", "another space")) {
      expect(chunk.every(({ vector }) => vector === null)).toBe(true);
    }
  });

  it("forgets an episode with its evidence, and what is left without any", async () => {
    const stores = await started();
    await learn(stores, "a", learnedFrom("j1", "book a flight", { steps: ["search"] }));
    await learn(stores, "a", learnedFrom("j2", "book a flight", { steps: ["search"] }));
    await learn(stores, "a", learnedFrom("j3", "book a flight", { steps: ["guess"] }));
    const { intentId } = learnedFrom("j1", "book a flight").episode.intent;
    expect(await stores.store.forget("a", { episodeIds: ["j1", "j3"], jobIds: [], at: 9 })).toEqual({
      episodes: 2,
      insights: 1,
      uploads: 0,
    });
    expect(await stores.store.insightsFor("a", [intentId])).toMatchObject([
      { insight: { structure: { steps: ["search"] } }, total: { succeeded: 1, failed: 0 } },
    ]);
    await stores.store.forget("a", { episodeIds: ["j2"], jobIds: [], at: 9 });
    expect(await stores.store.insightsFor("a", [intentId])).toEqual([]);
    expect(await stores.store.searchIntents("a", search(0, ["flight"]))).toEqual([]);
  });

  it("withdraws an upload from the queue, also from the worker that holds it", async () => {
    const stores = await started();
    const { fence } = await claimed(stores, "a", "j1");
    await stores.queue.enqueue("a", { jobId: "j2", createdAt: 1, payload: new Uint8Array([1]) });
    expect(await stores.store.forget("a", { episodeIds: [], jobIds: ["j1", "j2"], at: 9 })).toMatchObject({
      uploads: 2,
    });
    expect(await stores.store.complete("a", fence, learnedFrom("j1", "book a flight"))).toBeNull();
    expect(
      await stores.queue.claimAcrossTenants({ worker: "w", now: 99, leaseUntil: 999, limit: 5 }),
    ).toEqual([]);
    expect(await stores.queue.find("a", "j2")).toMatchObject({ state: "completed" });
  });

  it("drops the records of ended jobs in their time, and keeps what was learned", async () => {
    const stores = await started();
    const learned = learnedFrom("j1", "book a flight");
    await learn(stores, "a", learned);
    await stores.queue.enqueue("a", { jobId: "waiting", createdAt: 1, payload: new Uint8Array([1]) });
    await stores.store.expire({ jobs: 2, idempotency: 0 });
    expect(await stores.queue.find("a", "j1")).not.toBeNull();
    await stores.store.expire({ jobs: 3, idempotency: 0 });
    expect(await stores.queue.find("a", "j1")).toBeNull();
    expect(await stores.queue.find("a", "waiting")).not.toBeNull();
    expect(await stores.store.episodesOf("a", [learned.episode.intent.intentId])).toHaveLength(1);
    expect(
      await stores.queue.enqueue("a", { jobId: "j1", createdAt: 1, payload: new Uint8Array([1]) }),
    ).toMatchObject({
      kind: "replayed",
    });
  });
}
