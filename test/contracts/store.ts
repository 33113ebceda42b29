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
    space: "test",
    vector: unitVector(direction),
    words,
    limit: 10,
  });
  const texts = (shapes: readonly { readonly text: string }[]) => shapes.map(({ text }) => text);

  it("completes the job together with what was learned, and wipes the upload", async () => {
    const stores = await started();
    const counts = { created: 1, reinforced: 0, skipped: 0 };
    expect(await learn(stores, "a", learnedFrom("j1", "book a flight"))).toEqual(counts);
    expect(await stores.queue.find("a", "j1")).toMatchObject({
      state: "completed",
      outcome: { insights: counts },
    });
    for await (const chunk of stores.queue.pending("a")) expect(chunk).toEqual([]);
  });

  it("writes nothing for a worker that lost its job", async () => {
    const stores = await started();
    const { fence } = await claimed(stores, "a", "j1");
    await stores.queue.reclaimAcrossTenants({ now: 60_001, isGone: () => false, giveUp: () => "" });
    const learned = learnedFrom("j1", "book a flight");
    expect(await stores.store.complete("a", fence, learned)).toBeNull();
    expect(await stores.store.episodesOf("a", [learned.intent.intentId])).toEqual([]);
    expect(await stores.store.searchShapes("a", search(0))).toEqual([]);
    expect(await stores.store.listInsights("a", { limit: 10 })).toEqual([]);
    expect(await stores.store.tallies("a", "steps")).toEqual([]);
  });

  it("counts the same insight as reinforced, and who speaks for it by how they ended", async () => {
    const stores = await started();
    await learn(stores, "a", learnedFrom("j1", "book a flight", { step: "search" }));
    expect(await stores.store.insightsAbout("a", ["step:search"])).toMatchObject([{ status: "candidate" }]);
    const second = learnedFrom("j2", "Book a flight!", { step: "search", success: false, at: 7 });
    expect(await learn(stores, "a", second)).toMatchObject({ created: 0, reinforced: 1 });
    await learn(stores, "a", learnedFrom("j3", "book a flight", { step: "search", success: null }));
    await learn(stores, "a", learnedFrom("j4", "book a flight", { step: "search", stance: "against" }));
    expect(await stores.store.insightsAbout("a", ["step:search", "step:other"])).toMatchObject([
      {
        insight: learnedFrom("j1", "book a flight", { step: "search" }).insights[0],
        status: "active",
        support: { succeeded: 1, failed: 1 },
        unknown: 1,
        against: 1,
        sources: ["j3", "j2", "j1"],
        createdAt: 2,
      },
    ]);
  });

  it("counts the answers of an insight that is a question, and an episode once however many it gives", async () => {
    const stores = await started();
    await learn(stores, "a", learnedFrom("j1", "x", { step: "where", values: ["desk", "shelf"] }));
    await learn(stores, "a", learnedFrom("j2", "x", { step: "where", values: ["shelf"] }));
    expect(await stores.store.insightsAbout("a", ["step:where"])).toMatchObject([
      {
        support: { succeeded: 2, failed: 0 },
        values: [
          { value: "shelf", count: 2 },
          { value: "desk", count: 1 },
        ],
      },
    ]);
  });

  it("shows one insight with all its evidence", async () => {
    const stores = await started();
    const learned = learnedFrom("j1", "x", { step: "where", values: ["desk"] });
    await learn(stores, "a", learned);
    const insightId = learned.insights[0]?.insightId ?? "";
    expect(await stores.store.findInsight("a", insightId)).toMatchObject({
      evidence: [{ insightId, episodeId: "j1", stance: "for", value: "desk", from: 0, to: 1 }],
    });
    expect(await stores.store.findInsight("b", insightId)).toBeNull();
  });

  it("lists insights, best supported first, by kind and by status", async () => {
    const stores = await started();
    await learn(stores, "a", learnedFrom("j1", "x", { step: "once" }));
    await learn(stores, "a", learnedFrom("j2", "x", { step: "twice" }));
    await learn(stores, "a", learnedFrom("j3", "x", { step: "twice" }));
    const steps = async (filter: { status?: "active" | "candidate"; kind?: "fact" }) =>
      (await stores.store.listInsights("a", { ...filter, limit: 10 })).map(
        ({ insight: { topics } }) => topics[1],
      );
    expect(await steps({})).toEqual(["step:twice", "step:once"]);
    expect(await steps({ status: "active" })).toEqual(["step:twice"]);
    expect(await steps({ status: "candidate" })).toEqual(["step:once"]);
    expect(await steps({ kind: "fact" })).toEqual([]);
  });

  it("retires an insight and lifts the retirement", async () => {
    const stores = await started();
    const learned = learnedFrom("j1", "x", { step: "bad" });
    await learn(stores, "a", learned);
    const insightId = learned.insights[0]?.insightId ?? "";
    expect(await stores.store.retire("b", insightId, { at: 5, why: "harm" })).toBe(false);
    expect(await stores.store.retire("a", insightId, { at: 5, why: "harm" })).toBe(true);
    expect(await stores.store.insightsAbout("a", ["step:bad"])).toMatchObject([
      { status: "retired", retirement: { at: 5, why: "harm" } },
    ]);
    await stores.store.retire("a", insightId, null);
    expect(await stores.store.insightsAbout("a", ["step:bad"])).toMatchObject([{ status: "candidate" }]);
  });

  it("tallies by how episodes ended", async () => {
    const stores = await started();
    await learn(stores, "a", learnedFrom("j1", "x", { step: "go" }));
    await learn(stores, "a", learnedFrom("j2", "x", { step: "go", success: false }));
    await learn(stores, "a", learnedFrom("j3", "x", { step: "go", success: null }));
    await learn(stores, "a", learnedFrom("j4", "x", { step: "act" }));
    expect(await stores.store.tallies("a", "steps")).toEqual([
      { key: "act", succeeded: 1, failed: 0, unknown: 0 },
      { key: "go", succeeded: 1, failed: 1, unknown: 1 },
    ]);
    expect(await stores.store.tallies("a", "steps", ["go", "stay"])).toMatchObject([{ key: "go" }]);
    expect(await stores.store.tallies("b", "steps")).toEqual([]);
  });

  it("finds a shape by its vector, by its words and by its id", async () => {
    const stores = await started();
    await learn(
      stores,
      "a",
      learnedFrom("j1", "book flight 7", { shape: "book flight {number}", direction: 0 }),
    );
    await learn(stores, "a", learnedFrom("j2", "cancel the hotel", { direction: 1 }));
    const [flight] = await stores.store.searchShapes("a", search(0));
    expect(flight).toMatchObject({ text: "book flight {number}", vector: unitVector(0) });
    expect(texts(await stores.store.searchShapes("a", search(5, ["hotel"])))).toEqual(["cancel the hotel"]);
    expect(await stores.store.findShape("a", flight?.shapeId ?? "")).toEqual(flight);
    expect(await stores.store.findShape("b", flight?.shapeId ?? "")).toBeNull();
    const [elsewhere] = await stores.store.searchShapes("a", { ...search(0, ["flight"]), space: "another" });
    expect(elsewhere).toMatchObject({ text: "book flight {number}", vector: null });
  });

  it("finds at once what was just learned and no longer what was just forgotten", async () => {
    const stores = await started();
    for (let i = 0; i < 8; i++) {
      await learn(stores, "a", learnedFrom(`j${i}`, `task number ${i}`, { direction: i }));
      expect(texts(await stores.store.searchShapes("a", search(i)))).toEqual([`task number ${i}`]);
    }
    await stores.store.forget("a", { episodeIds: ["j3"], jobIds: [], at: 9 });
    expect(await stores.store.searchShapes("a", search(3))).toEqual([]);
    expect(await stores.store.searchShapes("a", search(4))).toHaveLength(1);
  });

  it("shows what is of another space, and takes new vectors for it", async () => {
    const stores = await started();
    const learned = learnedFrom("j1", "book a flight", { direction: 0 });
    await learn(stores, "a", learned);
    expect(await stores.store.outsideSpace("a", "test", 10)).toEqual({ intents: [], shapes: [] });
    const { intents, shapes } = await stores.store.outsideSpace("a", "new", 10);
    expect(intents).toMatchObject([{ text: "book a flight" }]);
    expect(shapes).toMatchObject([{ text: "book a flight" }]);
    await stores.store.placeInSpace("a", "new", {
      intents: new Map([[learned.intent.intentId, unitVector(3)]]),
      shapes: new Map([
        [learned.shape.shapeId, unitVector(3)],
        ["forgotten meanwhile", unitVector(1)],
      ]),
    });
    expect(await stores.store.outsideSpace("a", "new", 10)).toEqual({ intents: [], shapes: [] });
    expect(await stores.store.searchShapes("a", { ...search(3), space: "new" })).toHaveLength(1);
    expect(await stores.store.searchShapes("a", search(0))).toEqual([]);
  });

  it("moves its version with every change", async () => {
    const stores = await started();
    const versions = [await stores.store.version("a")];
    await learn(stores, "a", learnedFrom("j1", "x"));
    versions.push(await stores.store.version("a"));
    await learn(stores, "a", learnedFrom("j2", "x"));
    versions.push(await stores.store.version("a"));
    await stores.store.forget("a", { episodeIds: ["j1"], jobIds: [], at: 9 });
    versions.push(await stores.store.version("a"));
    expect(new Set(versions).size).toBe(4);
  });

  it("never shows a tenant anything of another", async () => {
    const stores = await started(["a", "b"]);
    const learned = learnedFrom("j1", "book a flight", { step: "search" });
    await learn(stores, "a", learned);
    const { intentId } = learned.intent;
    expect(await stores.store.searchShapes("b", search(0, ["flight"]))).toEqual([]);
    expect(await stores.store.insightsAbout("b", ["step:search"])).toEqual([]);
    expect(await stores.store.listInsights("b", { limit: 10 })).toEqual([]);
    expect(await stores.store.episodesOf("b", [intentId])).toEqual([]);
    expect(await stores.store.sample("b", "test", 10)).toMatchObject({ intents: [], shapes: [] });
    const nothing = { episodes: 0, insights: 0, uploads: 0 };
    expect(await stores.store.forget("b", { episodeIds: ["j1"], jobIds: ["j1"], at: 9 })).toEqual(nothing);
    for await (const chunk of stores.store.allIntents("b", "test")) expect(chunk).toEqual([]);
    expect(await stores.store.episodesOf("a", [intentId])).toHaveLength(1);
  });

  it("walks over every intent once, and samples the first by their ids", async () => {
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
        stores.store.complete("a", fence, byId.get(fence.jobId) ?? learnedFrom("?", "?")),
      ),
    );
    const all: StoredIntent[] = [];
    for await (const chunk of stores.store.allIntents("a", "test")) all.push(...chunk);
    expect(new Set(texts(all)).size).toBe(250);
    expect(all.every(({ vector }) => vector?.length === 8)).toBe(true);
    for await (const chunk of stores.store.allIntents("a", "another space")) {
      expect(chunk.every(({ vector }) => vector === null)).toBe(true);
    }
    const sample = await stores.store.sample("a", "test", 40);
    expect(sample.intents).toEqual(all.slice(0, 40));
    expect(sample.shapes).toHaveLength(40);
    expect(sample.shapes.map(({ shapeId }) => shapeId)).toEqual(
      sample.shapes.map(({ shapeId }) => shapeId).sort(),
    );
  });

  it("forgets an episode with its evidence, its tallies, and what is left without any", async () => {
    const stores = await started();
    await learn(stores, "a", learnedFrom("j1", "book a flight", { step: "search", values: ["x"] }));
    await learn(
      stores,
      "a",
      learnedFrom("j2", "book a flight", { step: "search", values: ["y"], success: false }),
    );
    await learn(stores, "a", learnedFrom("j3", "book a flight", { step: "guess" }));
    const forgotten = await stores.store.forget("a", { episodeIds: ["j1", "j3"], jobIds: [], at: 9 });
    expect(forgotten).toEqual({ episodes: 2, insights: 1, uploads: 0 });
    expect(await stores.store.listInsights("a", { limit: 10 })).toMatchObject([
      { support: { succeeded: 0, failed: 1 }, values: [{ value: "y", count: 1 }], sources: ["j2"] },
    ]);
    expect(await stores.store.tallies("a", "steps")).toMatchObject([
      { key: "search", succeeded: 0, failed: 1 },
    ]);
    await stores.store.forget("a", { episodeIds: ["j2"], jobIds: [], at: 9 });
    expect(await stores.store.listInsights("a", { limit: 10 })).toEqual([]);
    expect(await stores.store.tallies("a", "steps")).toEqual([]);
    expect(await stores.store.searchShapes("a", search(0, ["flight"]))).toEqual([]);
    for await (const chunk of stores.store.allIntents("a", "test")) expect(chunk).toEqual([]);
  });

  it("withdraws an upload from the queue, also from the worker that holds it", async () => {
    const stores = await started();
    const { fence } = await claimed(stores, "a", "j1");
    await stores.queue.enqueue("a", { jobId: "j2", createdAt: 1, payload: new Uint8Array([1]) });
    const forgotten = await stores.store.forget("a", { episodeIds: [], jobIds: ["j1", "j2"], at: 9 });
    expect(forgotten).toMatchObject({ uploads: 2 });
    expect(await stores.store.complete("a", fence, learnedFrom("j1", "book a flight"))).toBeNull();
    const next = await stores.queue.claimAcrossTenants({ worker: "w", now: 99, leaseUntil: 999, limit: 5 });
    expect(next).toEqual([]);
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
    expect(await stores.store.episodesOf("a", [learned.intent.intentId])).toHaveLength(1);
    const again = await stores.queue.enqueue("a", {
      jobId: "j1",
      createdAt: 1,
      payload: new Uint8Array([1]),
    });
    expect(again).toMatchObject({ kind: "replayed" });
  });
}
