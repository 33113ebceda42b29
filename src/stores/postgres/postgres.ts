/** The engine for many processes: the ports Store, Queue, Keys and Ledger over PostgreSQL with pgvector. */
import { Client } from "pg";
import type { Keys } from "../../ports/keys.ts";
import type { Ledger } from "../../ports/ledger.ts";
import type { Queue } from "../../ports/queue.ts";
import type { Store } from "../../ports/store.ts";
import { claim, reclaim } from "./claim.ts";
import { Database } from "./driver.ts";
import { malformedUrl, openingFailed } from "./failures.ts";
import * as insights from "./insights.ts";
import * as intents from "./intents.ts";
import * as jobs from "./jobs.ts";
import { KeyCache } from "./key-cache.ts";
import * as keys from "./keys.ts";
import * as knowledge from "./knowledge.ts";
import { ledgerOver } from "./ledger.ts";
import { migrate, requireNewest } from "./migrations.ts";
import { searchShapes } from "./search.ts";
import { readFacts, requireServer, type ServerFacts } from "./server.ts";
import * as tallies from "./tallies.ts";
import { type Maintained, maintainVectorIndexes } from "./vector-index.ts";
import { Wake } from "./wake.ts";

export interface PostgresOptions {
  readonly url: string;
  /** Connections at most, beside the one that listens for work. */
  readonly poolSize: number;
  /** Bring the schema up to date first (the default), or refuse to open one that is not. */
  readonly migrate?: boolean;
  /** Shapes from which on a tenant gets a vector index of its own. */
  readonly ownIndexFrom?: number;
  readonly connectTimeoutMs?: number;
  readonly statementTimeoutMs?: number;
}

export interface PostgresStores {
  readonly store: Store;
  readonly queue: Queue;
  readonly keys: Keys;
  readonly ledger: Ledger;
  /** For a person: what was found on the server at start. */
  readonly server: ServerFacts;
  /** Calls back when any process has brought work; answers how to stop that. Polling stays necessary. */
  onWake(callback: () => void): () => void;
  /** To be called now and then by any process: builds and drops the vector indexes of large tenants. */
  maintain(): Promise<Maintained>;
}

/** Opens the database, or says in a sentence what to do about it. Together the limits keep every call within 10 s. */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStores> {
  const {
    url,
    poolSize,
    ownIndexFrom = 20_000,
    connectTimeoutMs = 3_000,
    statementTimeoutMs = 5_000,
  } = options;
  if (!isPostgresUrl(url)) throw malformedUrl();
  const db = new Database({ url, poolSize, connectTimeoutMs, statementTimeoutMs });
  try {
    requireServer(await readFacts(db));
    if (options.migrate ?? true) await migrate(db);
    await requireNewest(db);
    const server = await readFacts(db);
    requireServer(server);
    const wake = new Wake(db);
    const ledger = ledgerOver(db);
    return {
      store: storeOver(db, wake, () => ledger.flushed()),
      queue: queueOver(db, wake),
      keys: keysOver(db),
      ledger,
      server,
      onWake: (callback) => wake.onWake(callback),
      maintain: () => maintainVectorIndexes(db, ownIndexFrom),
    };
  } catch (error) {
    await db.close();
    throw openingFailed(error);
  }
}

function isPostgresUrl(url: string): boolean {
  try {
    return /^postgres(ql)?:/.test(url) && new Client({ connectionString: url }).host !== "";
  } catch {
    return false;
  }
}

/** Intents are walked in chunks of some megabyte; uploads may be large, so fewer at a time. */
const INTENTS_AT_ONCE = 500;
const UPLOADS_AT_ONCE = 8;

function storeOver(db: Database, wake: Wake, recorded: () => Promise<void>): Store {
  return {
    complete: (tenantId, fence, learned) => knowledge.complete(db, tenantId, fence, learned),
    searchShapes: (tenantId, search) => searchShapes(db, tenantId, search),
    findShape: (tenantId, shapeId) => intents.findShape(db, tenantId, shapeId),
    async *allIntents(tenantId, space) {
      for (let after = ""; ;) {
        const chunk = await intents.intentsAfter(db, { tenantId, space, after, limit: INTENTS_AT_ONCE });
        yield chunk;
        if (chunk.length < INTENTS_AT_ONCE) return;
        after = chunk.at(-1)?.intentId ?? after;
      }
    },
    sample: (tenantId, space, limit) => intents.sample(db, tenantId, space, limit),
    version: (tenantId) => intents.versionOf(db, tenantId),
    outsideSpace: (tenantId, space, limit) => intents.outsideSpace(db, tenantId, space, limit),
    placeInSpace: (tenantId, space, vectors) => intents.placeInSpace(db, tenantId, space, vectors),
    insightsAbout: (tenantId, topics) => insights.about(db, tenantId, topics),
    listInsights: (tenantId, filter) => insights.list(db, tenantId, filter),
    findInsight: (tenantId, insightId) => insights.find(db, tenantId, insightId),
    retire: (tenantId, insightId, retired) => insights.retire(db, tenantId, insightId, retired),
    tallies: (tenantId, topic, wanted) => tallies.read(db, tenantId, topic, wanted ?? null),
    episodesOf: (tenantId, intentIds) => intents.episodesOf(db, tenantId, intentIds),
    forget: (tenantId, what) => knowledge.forget(db, tenantId, what),
    expire: (before) => knowledge.expire(db, before),
    ping: () => db.ping(),
    async close() {
      await recorded();
      await wake.close();
      await db.close();
    },
  };
}

function queueOver(db: Database, wake: Wake): Queue {
  return {
    async enqueue(tenantId, job) {
      const enqueued = await jobs.enqueue(db, tenantId, job);
      if (enqueued.kind === "accepted") wake.tell();
      return enqueued;
    },
    find: (tenantId, jobId) => jobs.find(db, tenantId, jobId),
    list: (tenantId, { state, limit }) => jobs.list(db, tenantId, state ?? null, limit),
    async retry(tenantId, jobId, now) {
      const retried = await jobs.retry(db, tenantId, jobId, now);
      if (retried) wake.tell();
      return retried;
    },
    async *pending(tenantId) {
      for (let after = ""; ;) {
        const chunk = await jobs.pendingAfter(db, tenantId, after, UPLOADS_AT_ONCE);
        yield chunk;
        if (chunk.length < UPLOADS_AT_ONCE) return;
        after = chunk.at(-1)?.jobId ?? after;
      }
    },
    claimAcrossTenants: (asked) => claim(db, asked),
    reclaimAcrossTenants: (asked) => reclaim(db, asked),
    heartbeat: (tenantId, fence, leaseUntil) => jobs.heartbeat(db, tenantId, fence, leaseUntil),
    postpone: (tenantId, fence, runAfter) => jobs.postpone(db, tenantId, fence, runAfter),
    fail: (tenantId, fence, end) => jobs.fail(db, tenantId, fence, end),
    countAcrossTenants: () => jobs.count(db),
  };
}

function keysOver(db: Database): Keys {
  const cache = new KeyCache((hash) => keys.findByHash(db, hash));
  /** What this process changes, its next look-up sees. */
  const changing = async <T>(change: Promise<T>): Promise<T> => change.finally(() => cache.clear());
  return {
    findByHashAcrossTenants: (hash) => cache.find(hash),
    issue: (tenantId, key) => changing(keys.issueKey(db, tenantId, key)),
    list: (tenantId) => keys.listKeys(db, tenantId),
    revoke: (tenantId, keyId, at) => changing(keys.revokeKey(db, tenantId, keyId, at)),
    createTenant: (tenantId, tenant) => changing(keys.createTenant(db, tenantId, tenant)),
    findTenant: (tenantId) => keys.findTenant(db, tenantId),
    listTenants: () => keys.listTenants(db),
    setTenant: (tenantId, settings) => changing(keys.setTenant(db, tenantId, settings)),
    removeTenant: (tenantId) => changing(keys.removeTenant(db, tenantId)),
    claimSecret: (fingerprint) => keys.claimSecret(db, fingerprint),
  };
}
