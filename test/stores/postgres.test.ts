import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { SetupError, StoreUnavailable } from "../../src/domain/errors.ts";
import type { Learned } from "../../src/ports/store.ts";
import { openPostgres, type PostgresOptions } from "../../src/stores/postgres/postgres.ts";
import { requireServer } from "../../src/stores/postgres/server.ts";
import { openSqlite } from "../../src/stores/sqlite/sqlite.ts";
import { keysContract } from "../contracts/keys.ts";
import { enhancementOf, ledgerContract, outcomeOf } from "../contracts/ledger.ts";
import { queueContract } from "../contracts/queue.ts";
import { storeContract } from "../contracts/store.ts";
import type { Stores } from "../contracts/stores.ts";
import { temporaryFolder } from "../support/folder.ts";
import { learnedFrom, unitVector } from "../support/learned.ts";
import { postgresForTests } from "../support/postgres.ts";
import { relay } from "../support/relay.ts";

const postgres = await postgresForTests();
const describePostgres = postgres.missing === null ? describe : describe.skip;

async function openAt(url: string, options: Partial<PostgresOptions> = {}) {
  const stores = await openPostgres({ url, poolSize: 5, ...options });
  onTestFinished(() => stores.store.close());
  return stores;
}

async function open() {
  const { url } = await postgres.database();
  return openAt(url);
}

describePostgres("PostgreSQL queue", () => queueContract(open));
describePostgres("PostgreSQL keys", () => keysContract(open));
describePostgres("PostgreSQL store", () => storeContract(open));
describePostgres("PostgreSQL ledger", () => ledgerContract(open));

const job = (jobId: string) => ({ jobId, createdAt: 1, payload: new Uint8Array([1, 2, 3]) });
const claim = (limit: number) => ({ worker: "w", now: 2, leaseUntil: 60_000, limit });

async function learn({ queue, store }: Stores, tenantId: string, learned: Learned): Promise<void> {
  await queue.enqueue(tenantId, job(learned.episode.episodeId));
  const [claimed] = await queue.claimAcrossTenants(claim(1));
  if (claimed === undefined) throw new Error("nothing to claim");
  expect(await store.complete(tenantId, claimed.fence, learned)).not.toBeNull();
}

describePostgres("PostgreSQL's second wall", () => {
  const TABLES = `SELECT c.relname AS name, c.relrowsecurity AND c.relforcerowsecurity AS walled
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relkind = 'r' AND a.attname = 'tenant_id' AND c.relnamespace = 'public'::regnamespace`;

  async function withKnowledge() {
    const database = await postgres.database();
    const stores = await openAt(database.url);
    await stores.keys.createTenant("a", { name: "A", createdAt: 1 });
    await stores.keys.issue("a", { keyId: "k", hash: "h", lastFour: "", label: "", createdAt: 1 });
    await learn(stores, "a", learnedFrom("j1", "where is it", { values: ["here"] }));
    await stores.queue.enqueue("a", { ...job("j2"), idempotency: { keyHash: "k", bodyHash: "b" } });
    stores.ledger.record("a", enhancementOf("e1"));
    await stores.ledger.tell("a", "e1", outcomeOf(1));
    await stores.ledger.rule("a", { at: 1, insightId: "i", decision: "retire", why: "harm" });
    const tables = await database.query<{ name: string; walled: boolean }>(TABLES);
    expect(tables.length).toBeGreaterThan(10);
    return { ...stores, database, tables };
  }

  it("stands for the service's own role", async () => {
    const { server, tables } = await withKnowledge();
    expect(server.walled).toBe(true);
    expect(tables.filter(({ walled }) => !walled)).toEqual([]);
  });

  it("shows nothing to a query that names no tenant, and nothing of another to one that does", async () => {
    const { database, tables } = await withKnowledge();
    const empty = async (ask: (text: string) => Promise<{ n: number }[]>) => {
      const counts = await Promise.all(
        tables.map(async ({ name }) => ({ name, rows: await ask(`SELECT count(*)::int AS n FROM ${name}`) })),
      );
      return counts.filter(({ rows }) => rows[0]?.n === 0).map(({ name }) => name);
    };
    const all = tables.map(({ name }) => name);
    expect(await empty((text) => database.query(text))).toEqual([]);
    expect(await empty((text) => database.queryAsService(text))).toEqual(all);
    expect(await empty((text) => database.queryAsService(text, "b"))).toEqual(all);
    expect(await empty((text) => database.queryAsService(text, "a"))).toEqual([]);
  });

  it("refuses a row that is written for another tenant", async () => {
    const { database } = await withKnowledge();
    const write = database.queryAsService("INSERT INTO lane (tenant_id, served) VALUES ('b', 0)", "a");
    await expect(write).rejects.toMatchObject({ code: "42501" });
  });

  it("is no place to hide: an erased tenant has no row in any table", async () => {
    const { keys, database, tables } = await withKnowledge();
    await keys.removeTenant("a");
    const union = tables.map(({ name }) => `SELECT tenant_id FROM ${name}`).join(" UNION ALL ");
    expect(await database.query(union)).toEqual([]);
  });
});

describePostgres("PostgreSQL schema", () => {
  it("is made once by many processes that start at the same time", async () => {
    const database = await postgres.database();
    const all = await Promise.all(Array.from({ length: 8 }, () => openAt(database.url)));
    await Promise.all(all.map(({ store }) => store.ping()));
    expect(await database.query("SELECT value FROM meta WHERE name = 'schema'")).toHaveLength(1);
  });

  it("is refused when it is newer than the program, or older and not to be changed", async () => {
    const database = await postgres.database();
    await expect(openPostgres({ url: database.url, poolSize: 1, migrate: false })).rejects.toThrow(
      /run whetstone migrate/,
    );
    const { store } = await openPostgres({ url: database.url, poolSize: 1 });
    await store.close();
    await database.query("UPDATE meta SET value = '9999' WHERE name = 'schema'");
    const opened = openPostgres({ url: database.url, poolSize: 1 });
    await expect(opened).rejects.toThrow(SetupError);
    await expect(opened).rejects.toThrow(/run a newer Whetstone/);
  });

  it("keeps tenant_id first in every key and index that holds tenants' rows", async () => {
    const database = await postgres.database();
    await openAt(database.url);
    const acrossTenants = [
      "meta_pkey", // the service's own
      "api_key_by_hash", // the look-up of a key by its hash
      "lane_order", // a worker's claim of the next job
      "job_ended", // maintenance
      "idempotency_age",
      "enhancement_age",
      "exposure_age",
    ];
    const indexes = await database.query<{ name: string; first: string }>(
      `SELECT i.indexrelid::regclass::text AS name, a.attname AS first FROM pg_index i
       JOIN pg_class c ON c.oid = i.indrelid AND c.relnamespace = 'public'::regnamespace
       JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]`,
    );
    const others = indexes.filter(({ first }) => first !== "tenant_id").map(({ name }) => name);
    expect(others.sort()).toEqual(acrossTenants.sort());
    expect(await database.query("SELECT 1 FROM pg_constraint WHERE contype = 'f'")).toEqual([]);
    expect(await database.query("SELECT 1 FROM pg_class WHERE relkind = 'S'")).toEqual([]);
  });

  it("commits in a way that survives a power cut", async () => {
    const { url, queryAsService } = await postgres.database();
    await openAt(url);
    expect(await queryAsService("SHOW synchronous_commit")).toEqual([{ synchronous_commit: "on" }]);
  });
});

describePostgres("PostgreSQL that cannot be opened", () => {
  const opening = (url: string) => openPostgres({ url, poolSize: 1, connectTimeoutMs: 1_000 });

  async function refusal(url: string): Promise<string> {
    const error: unknown = await opening(url).then(
      async ({ store }) => store.close(),
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(SetupError);
    return (error as Error).message;
  }

  it("says what to do about a URL that leads nowhere, and never says the URL", async () => {
    const { url } = await postgres.database();
    const change = (alter: (parts: URL) => void) => {
      const parts = new URL(url);
      alter(parts);
      return parts.href;
    };
    const sentences = {
      "mysql://root:hunter2@localhost/x": /is no PostgreSQL URL: write postgres:/,
      [change((parts) => (parts.port = "1"))]: /nothing listens where/,
      [change((parts) => (parts.hostname = "nowhere.invalid"))]: /host in WHETSTONE_DATABASE_URL/,
      "postgres://root:hunter2#@:54/x": /is no PostgreSQL URL/,
      [change((parts) => (parts.username = "somebody"))]: /refuses the user/,
      [change((parts) => (parts.pathname = "/absent"))]: /does not exist: create it/,
    };
    for (const [wrong, sentence] of Object.entries(sentences)) {
      const message = await refusal(wrong);
      expect(message).toMatch(sentence);
      expect(message).not.toContain("hunter2");
      expect(message).not.toContain(new URL(url).password);
    }
  });

  it("says who can add the extension that is missing", async () => {
    const { url } = await postgres.database({ bare: true });
    expect(await refusal(url)).toMatch(/owner|let a superuser run CREATE EXTENSION vector/);
    const owned = await postgres.database();
    await owned.query("DROP EXTENSION vector");
    expect(await refusal(owned.url)).toMatch(/let a superuser run CREATE EXTENSION vector/);
  });

  it("says what is too old", () => {
    const facts = { version: 170000, vector: "0.8.0", walled: true };
    expect(() => requireServer(facts)).not.toThrow();
    expect(() => requireServer({ ...facts, version: 140011 })).toThrow(
      /PostgreSQL 14: Whetstone needs version 15/,
    );
    expect(() => requireServer({ ...facts, vector: "0.7.4" })).toThrow(/ALTER EXTENSION vector UPDATE/);
  });
});

describePostgres("PostgreSQL that goes away", () => {
  const HELD = "BEGIN; LOCK TABLE job IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(0.6); COMMIT";

  it("fails the call whose connection is killed as unavailable, and serves the next", async () => {
    const database = await postgres.database();
    const { queue } = await openAt(database.url);
    const holding = database.query(HELD);
    await sleep(100);
    const asked = queue.find("a", "j1");
    asked.catch(() => {});
    await sleep(100);
    await database.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'whetstone_test' AND datname = current_database()",
    );
    await expect(asked).rejects.toThrow(StoreUnavailable);
    await holding;
    expect(await queue.find("a", "j1")).toBeNull();
  });

  it("gives up a statement that takes too long", async () => {
    const database = await postgres.database();
    const { queue } = await openAt(database.url, { statementTimeoutMs: 200 });
    const holding = database.query(HELD);
    await sleep(100);
    await expect(queue.find("a", "j1")).rejects.toThrow(StoreUnavailable);
    await holding;
    expect(await queue.find("a", "j1")).toBeNull();
  });

  it("answers soon while the server is gone, and within seconds when it is back", async () => {
    const database = await postgres.database();
    const between = await relay(database.url);
    const { queue } = await openAt(between.url);
    await queue.enqueue("a", job("j1"));
    await between.leave();
    const begun = performance.now();
    for (let i = 0; i < 20; i++) await expect(queue.find("a", "j1")).rejects.toThrow(StoreUnavailable);
    expect(performance.now() - begun).toBeLessThan(10_000);
    await between.comeBack();
    await vi.waitFor(async () => expect(await queue.find("a", "j1")).not.toBeNull(), { timeout: 5_000 });
  });

  it("notices a connection on which nothing comes back any more", async () => {
    const database = await postgres.database();
    const between = await relay(database.url);
    const { queue, store } = await openAt(between.url, { statementTimeoutMs: 500, connectTimeoutMs: 500 });
    await store.ping();
    between.be("silent");
    const begun = performance.now();
    await expect(queue.find("a", "j1")).rejects.toThrow(StoreUnavailable);
    expect(performance.now() - begun).toBeLessThan(3_000);
    between.cut();
    between.be("open");
    await vi.waitFor(async () => expect(await queue.find("a", "j1")).toBeNull(), { timeout: 5_000 });
  });
});

describePostgres("PostgreSQL and several processes", () => {
  it("refuses a key revoked elsewhere within 5 s, and settings reach it as soon", async () => {
    const { url } = await postgres.database();
    const [here, there] = [await openAt(url), await openAt(url)];
    await here.keys.createTenant("a", { name: "A", createdAt: 1 });
    await here.keys.issue("a", { keyId: "k", hash: "h", lastFour: "", label: "", createdAt: 1 });
    expect(await there.keys.findByHashAcrossTenants("h")).toMatchObject({ settings: {} });
    await here.keys.setTenant("a", { rateLimit: 7 });
    const settings = async () => (await there.keys.findByHashAcrossTenants("h"))?.settings;
    await vi.waitFor(async () => expect(await settings()).toEqual({ rateLimit: 7 }), { timeout: 5_000 });
    await here.keys.revoke("a", "k", 2);
    expect(await here.keys.findByHashAcrossTenants("h")).toBeNull();
    await vi.waitFor(async () => expect(await there.keys.findByHashAcrossTenants("h")).toBeNull(), {
      timeout: 5_000,
    });
  });

  it("wakes the workers of the others, also after the listening connection was lost", async () => {
    const database = await postgres.database();
    const [here, there] = [await openAt(database.url), await openAt(database.url)];
    const woken = vi.fn<() => void>();
    const stop = there.onWake(woken);
    await vi.waitFor(() => expect(woken).toHaveBeenCalledOnce(), { timeout: 5_000 });
    await here.queue.enqueue("a", job("j1"));
    await vi.waitFor(() => expect(woken).toHaveBeenCalledTimes(2), { timeout: 2_000 });
    await database.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()",
    );
    await vi.waitFor(() => expect(woken).toHaveBeenCalledTimes(3), { timeout: 5_000 });
    await here.queue.enqueue("a", job("j2"));
    await vi.waitFor(() => expect(woken).toHaveBeenCalledTimes(4), { timeout: 2_000 });
    stop();
    await here.queue.enqueue("a", job("j3"));
    await sleep(200);
    expect(woken).toHaveBeenCalledTimes(4);
  });

  it("hands every job to exactly one of many workers, while work comes in and lanes open and close", async () => {
    const { url } = await postgres.database();
    const processes = [await openAt(url), await openAt(url), await openAt(url)];
    const tenants = ["a", "b", "c", "d", "e"];
    const taken: string[] = [];
    const state = { bringing: true };
    const bring = async () => {
      for (let i = 0; i < 60; i++) {
        const { queue } = processes[i % 3] ?? processes[0] ?? { queue: null };
        await queue?.enqueue(tenants[i % 5] ?? "", job(`j${i}`));
        if (i % 10 === 0) await sleep(15);
      }
      state.bringing = false;
    };
    const work = async ({ queue }: Stores) => {
      for (let idle = 0; state.bringing || idle < 3;) {
        const jobs = await queue.claimAcrossTenants(claim(2));
        idle = jobs.length === 0 ? idle + 1 : 0;
        for (const { tenantId, fence } of jobs) {
          taken.push(fence.jobId);
          await queue.fail(tenantId, fence, { at: 3, sealedError: "" });
        }
        await queue.reclaimAcrossTenants({ now: 2, isGone: () => false, giveUp: () => "" });
      }
    };
    await Promise.all([bring(), ...processes.map(work)]);
    expect(taken).toHaveLength(60);
    expect(new Set(taken).size).toBe(60);
  });

  it("takes nothing from a worker whose heart beats just when it is thought lost", async () => {
    const { queue } = await open();
    await queue.enqueue("a", job("j1"));
    const [claimed] = await queue.claimAcrossTenants(claim(1));
    const fence = claimed?.fence ?? { jobId: "", attempt: 0 };
    const beating: Promise<boolean>[] = [];
    const isGone = () => {
      beating.push(queue.heartbeat("a", fence, 90_000));
      return true;
    };
    await queue.reclaimAcrossTenants({ now: 3, isGone, giveUp: () => "" });
    const [kept] = await Promise.all(beating);
    expect(await queue.find("a", "j1")).toMatchObject({ state: kept === true ? "running" : "queued" });
  });
});

describePostgres("PostgreSQL search", () => {
  let seed = 1;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const randomUnit = (dimensions: number): Float32Array => {
    const raw = Array.from({ length: dimensions }, () => random() + random() + random() - 1.5);
    const length = Math.hypot(...raw);
    return Float32Array.from(raw, (x) => x / length);
  };
  const WORDS = Array.from({ length: 40 }, (_, i) => `word${i}`);
  const randomWords = (count: number) =>
    Array.from({ length: count }, () => WORDS[Math.floor(random() * random() * WORDS.length)] ?? "");

  it("chooses the shapes that SQLite chooses, in the same order", async () => {
    const stores = await open();
    const sqlite = openSqlite({ directory: temporaryFolder(), threaded: false, indexBytes: 1e9 });
    onTestFinished(() => sqlite.store.close());
    for (const { keys } of [stores, sqlite]) await keys.createTenant("a", { name: "A", createdAt: 1 });
    const vectors = Array.from({ length: 12 }, () => randomUnit(8));
    for (let i = 0; i < 120; i++) {
      const words = [...randomWords(4), String(i)];
      const learned = learnedFrom(`j${i}`, words.join(" "));
      const vector = vectors[i % 12] ?? randomUnit(8);
      const shaped = { ...learned, shape: { ...learned.shape, vector, words } };
      for (const engine of [stores, sqlite]) await learn(engine, "a", shaped);
    }
    for (const engine of [stores, sqlite]) {
      await engine.store.forget("a", { episodeIds: ["j3", "j50", "j51"], jobIds: [], at: 9 });
    }
    for (let i = 0; i < 40; i++) {
      const byVector = { space: "test", vector: randomUnit(8), words: [], limit: 15 };
      const byWords = { space: "elsewhere", vector: randomUnit(8), words: randomWords(3), limit: 15 };
      for (const search of [byVector, byWords]) {
        const found = await stores.store.searchShapes("a", search);
        expect(found).toEqual(await sqlite.store.searchShapes("a", search));
      }
    }
  });

  it("gives a large tenant a vector index of its own that misses next to nothing, and takes it away again", async () => {
    const database = await postgres.database();
    // so few are as quickly read and sorted; the planner is to use the index wherever it can
    await database.query(
      "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET enable_sort = off', current_database()); END $$",
    );
    const stores = await openAt(database.url, { ownIndexFrom: 1_000 });
    await stores.keys.createTenant("o'large", { name: "", createdAt: 1 });
    await learn(stores, "o'large", learnedFrom("j1", "a small start"));
    expect(await stores.maintain()).toEqual({ built: 0, dropped: 0 });
    const vectors = Array.from({ length: 2_000 }, () => randomUnit(32));
    await database.query(
      `INSERT INTO shape (tenant_id, shape_id, family_id, text, words, space, vector, episodes, version)
       SELECT 'o''large', 's' || n, 'f', '', '{}', 'other space', v::vector, 1, n + 1
       FROM unnest($1::text[]) WITH ORDINALITY AS u (v, n)`,
      [vectors.map((vector) => `[${[...vector].join(",")}]`)],
    );
    await database.query("UPDATE tenant SET shapes = 2001");
    const asked = Array.from({ length: 20 }, () => randomUnit(32));
    const nearest = async ({ store }: Stores) =>
      Promise.all(
        asked.map(async (vector) => {
          const search = { space: "other space", vector, words: [], limit: 10 };
          return (await store.searchShapes("o'large", search)).map(({ shapeId }) => shapeId);
        }),
      );
    const exact = await nearest(stores);
    expect(await stores.maintain()).toEqual({ built: 1, dropped: 0 });
    expect(await stores.maintain()).toEqual({ built: 0, dropped: 0 });
    const others = await openPostgres({ url: database.url, poolSize: 5 });
    const found = await nearest(others);
    const hits = found.flatMap((ids, i) => ids.filter((id) => exact[i]?.includes(id)));
    expect(hits.length / 200).toBeGreaterThanOrEqual(0.98);
    // a connection says what it used when it ends
    await others.store.close();
    const scans = async () =>
      database.query<{ n: number }>(
        "SELECT idx_scan::int AS n FROM pg_stat_user_indexes WHERE starts_with(indexrelname, 'shape_near_')",
      );
    await vi.waitFor(async () => expect((await scans())[0]?.n).toBeGreaterThan(0), { timeout: 5_000 });
    await database.query("DELETE FROM shape WHERE space = 'other space'");
    await database.query("UPDATE tenant SET shapes = 1");
    expect(await stores.maintain()).toEqual({ built: 0, dropped: 1 });
    expect(await scans()).toEqual([]);
  });

  it("rebuilds an index whose making was interrupted", async () => {
    const database = await postgres.database();
    const stores = await openAt(database.url, { ownIndexFrom: 1 });
    await stores.keys.createTenant("a", { name: "", createdAt: 1 });
    await learn(stores, "a", learnedFrom("j1", "one"));
    expect(await stores.maintain()).toEqual({ built: 1, dropped: 0 });
    await database.query(
      "UPDATE pg_index SET indisvalid = false WHERE starts_with(indexrelid::regclass::text, 'shape_near_')",
    );
    expect(await stores.maintain()).toEqual({ built: 1, dropped: 1 });
  });
});

describePostgres("PostgreSQL and very many insights under one topic", () => {
  it("reads the best supported, as SQLite does", async () => {
    const stores = await open();
    const sqlite = openSqlite({ directory: temporaryFolder(), threaded: false, indexBytes: 1e9 });
    onTestFinished(() => sqlite.store.close());
    for (const engine of [stores, sqlite]) {
      await engine.keys.createTenant("a", { name: "A", createdAt: 1 });
      for (let i = 0; i < 90; i++) {
        await learn(engine, "a", learnedFrom(`j${i}`, "one kind of task", { step: `step ${i % 75}` }));
      }
    }
    const [topic = ""] = learnedFrom("j", "one kind of task").insights[0]?.topics ?? [];
    const found = await stores.store.insightsAbout("a", [topic, "step:step 3", "step:none"]);
    expect(found).toEqual(await sqlite.store.insightsAbout("a", [topic, "step:step 3", "step:none"]));
    expect(found.length).toBeLessThan(75);
  });
});

describePostgres("PostgreSQL and awkward text", () => {
  it("stores U+0000 as U+FFFD and finds it by either", async () => {
    const stores = await open();
    const { keys, store } = stores;
    await keys.createTenant("a", { name: "N\0ame", createdAt: 1 });
    expect(await keys.findTenant("a")).toMatchObject({ name: "N\uFFFDame" });
    const learned = learnedFrom("j1", "book a flight", { step: "go\0on", values: ["x\0y", "x\uFFFDy"] });
    await learn(stores, "a", learned);
    const [insight] = await store.insightsAbout("a", ["step:go\0on"]);
    expect(insight).toMatchObject({ values: [{ value: "x\uFFFDy", count: 1 }] });
    expect(await store.tallies("a", "steps", ["go\0on"])).toMatchObject([
      { key: "go\uFFFDon", succeeded: 1 },
    ]);
    await store.forget("a", { episodeIds: ["j1"], jobIds: [], at: 9 });
    expect(await store.insightsAbout("a", ["step:go\0on"])).toEqual([]);
    expect(await store.tallies("a", "steps")).toEqual([]);
  });

  it("keeps words, topics, counters and answers of any length apart", async () => {
    const stores = await open();
    const { keys, store } = stores;
    await keys.createTenant("a", { name: "A", createdAt: 1 });
    const long = (end: string) => "长".repeat(5_000) + end;
    await learn(
      stores,
      "a",
      learnedFrom("j1", "x", { shape: long("1"), step: long("1"), values: [long("v"), long("w")] }),
    );
    await learn(stores, "a", learnedFrom("j2", "y", { shape: long("2"), step: long("2"), direction: 1 }));
    const [insight] = await store.insightsAbout("a", [`step:${long("1")}`]);
    expect(insight?.values.map(({ value }) => value.slice(-1))).toEqual(["v", "w"]);
    expect(await store.tallies("a", "steps", [long("2")])).toMatchObject([{ key: long("2"), succeeded: 1 }]);
    const found = await store.searchShapes("a", {
      space: "test",
      vector: unitVector(5),
      words: [long("2")],
      limit: 5,
    });
    expect(found).toMatchObject([{ text: long("2") }]);
  });
});
