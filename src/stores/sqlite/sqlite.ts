/** The embedded engine: the ports Store, Queue, Keys and Ledger over one SQLite file. */
import { join } from "node:path";
import { isOver } from "../../domain/job.ts";
import type { Keys } from "../../ports/keys.ts";
import type { Ledger } from "../../ports/ledger.ts";
import type { Queue } from "../../ports/queue.ts";
import type { Store } from "../../ports/store.ts";
import { runningJobs } from "./claim.ts";
import { type Database, openDatabase, translate } from "./driver.ts";
import * as insights from "./insights.ts";
import * as intents from "./intents.ts";
import * as jobs from "./jobs.ts";
import * as keys from "./keys.ts";
import * as ledger from "./ledger.ts";
import { migrate } from "./migrations.ts";
import { ShapeIndexes } from "./shape-index.ts";
import * as tallies from "./tallies.ts";
import { inlineWriter, threadedWriter, type Writer } from "./writer.ts";

export interface SqliteOptions {
  readonly directory: string;
  /** Write on a thread of its own: for a server, whose event loop must not wait for the disk. */
  readonly threaded: boolean;
  /** Bytes that search may keep in memory. */
  readonly indexBytes: number;
}

export interface SqliteStores {
  readonly store: Store;
  readonly queue: Queue;
  readonly keys: Keys;
  readonly ledger: Ledger;
}

export function openSqlite({ directory, threaded, indexBytes }: SqliteOptions): SqliteStores {
  const file = join(directory, "whetstone.db");
  const db = openDatabase(file, { readOnly: false });
  migrate(db);
  const writer = threaded ? threadedWriter(file) : inlineWriter(db);
  return {
    store: storeOver(db, writer, indexBytes),
    queue: queueOver(db, writer),
    keys: keysOver(db, writer),
    ledger: ledgerOver(db, writer),
  };
}

/** Reads are made on the calling thread: they take microseconds, and a reader never waits for a writer. */
async function read<T>(query: () => T): Promise<T> {
  try {
    return query();
  } catch (error) {
    throw translate(error);
  }
}

/** Uploads and intents are walked in chunks, so that the event loop gets its turn in between. */
const CHUNK = 200;
/** Uploads may be large. */
const UPLOADS_AT_ONCE = 4;

function storeOver(db: Database, writer: Writer, indexBytes: number): Store {
  const indexes = new ShapeIndexes(db, indexBytes);
  return {
    complete: (tenantId, fence, learned) => writer.write("complete", { tenantId, fence, learned }),
    async searchShapes(tenantId, search) {
      const candidates = await indexes.candidates(tenantId, search);
      return read(() => intents.shapesNearest(db, { tenantId, candidates, search }));
    },
    findShape: (tenantId, shapeId) => read(() => intents.findShape(db, { tenantId, shapeId })),
    async *allIntents(tenantId, space) {
      for (let last = ""; ;) {
        const after = last;
        const chunk = await read(() => intents.intentsAfter(db, { tenantId, space, after, limit: CHUNK }));
        yield chunk;
        if (chunk.length < CHUNK) return;
        last = chunk.at(-1)?.intentId ?? last;
        await new Promise(setImmediate);
      }
    },
    sample: (tenantId, space, limit) => read(() => intents.sample(db, { tenantId, space, limit })),
    version: (tenantId) => read(() => intents.versionOf(db, tenantId).version),
    outsideSpace: (tenantId, space, limit) =>
      read(() => intents.outsideSpace(db, { tenantId, space, limit })),
    placeInSpace: (tenantId, space, vectors) => writer.write("placeInSpace", { tenantId, space, vectors }),
    insightsAbout: (tenantId, topics) => read(() => insights.about(db, { tenantId, topics })),
    listInsights: (tenantId, filter) => read(() => insights.list(db, { tenantId, filter })),
    findInsight: (tenantId, insightId) => read(() => insights.find(db, { tenantId, insightId })),
    retire: (tenantId, insightId, retired) => writer.write("retire", { tenantId, insightId, retired }),
    tallies: (tenantId, topic, keys) => read(() => tallies.read(db, { tenantId, topic, keys: keys ?? null })),
    episodesOf: (tenantId, intentIds) => read(() => intents.episodesOf(db, { tenantId, intentIds })),
    forget: (tenantId, what) => writer.write("forget", { tenantId, what }),
    expire: (before) => writer.write("expire", before),
    ping: () => read(() => void db.get("SELECT 1")),
    async close() {
      await writer.close();
      db.close();
    },
  };
}

function queueOver(db: Database, writer: Writer): Queue {
  return {
    enqueue: (tenantId, job) => writer.write("enqueue", { tenantId, job }),
    find: (tenantId, jobId) => read(() => jobs.find(db, { tenantId, jobId })),
    list: (tenantId, { state, limit }) =>
      read(() => jobs.list(db, { tenantId, state: state ?? null, limit })),
    retry: (tenantId, jobId, now) => writer.write("retryJob", { tenantId, jobId, now }),
    async *pending(tenantId) {
      for (let last = ""; ;) {
        const after = last;
        const chunk = await read(() => jobs.pendingAfter(db, tenantId, after, UPLOADS_AT_ONCE));
        yield chunk;
        if (chunk.length < UPLOADS_AT_ONCE) return;
        last = chunk.at(-1)?.jobId ?? last;
        await new Promise(setImmediate);
      }
    },
    claimAcrossTenants: (claim) => writer.write("claim", claim),
    async reclaimAcrossTenants({ now, isGone, giveUp }) {
      const running = await read(() => runningJobs(db));
      const lost = running.filter(({ worker, leaseUntil }) => isOver(leaseUntil, now) || isGone(worker));
      if (lost.length === 0) return 0;
      const gone = [...new Set(lost.map(({ worker }) => worker).filter(isGone))];
      const sealed = Object.fromEntries(lost.map(({ jobId }) => [jobId, giveUp(jobId)]));
      return writer.write("reclaim", { now, gone, sealed });
    },
    heartbeat: (tenantId, fence, leaseUntil) => writer.write("heartbeat", { tenantId, fence, leaseUntil }),
    postpone: (tenantId, fence, runAfter) => writer.write("postpone", { tenantId, fence, runAfter }),
    fail: (tenantId, fence, end) => writer.write("fail", { tenantId, fence, ...end }),
    countAcrossTenants: () => read(() => jobs.count(db)),
  };
}

function keysOver(db: Database, writer: Writer): Keys {
  return {
    findByHashAcrossTenants: (hash) => read(() => keys.findByHash(db, { hash })),
    issue: (tenantId, key) => writer.write("issueKey", { tenantId, key }),
    list: (tenantId) => read(() => keys.listKeys(db, { tenantId })),
    revoke: (tenantId, keyId, at) => writer.write("revokeKey", { tenantId, keyId, at }),
    createTenant: (tenantId, tenant) => writer.write("createTenant", { tenantId, ...tenant }),
    findTenant: (tenantId) => read(() => keys.findTenant(db, { tenantId })),
    listTenants: () => read(() => keys.listTenants(db)),
    setTenant: (tenantId, settings) => writer.write("setTenant", { tenantId, settings }),
    removeTenant: (tenantId) => writer.write("removeTenant", { tenantId }),
    claimSecret: (fingerprint) => writer.write("claimSecret", { fingerprint }),
  };
}

function ledgerOver(db: Database, writer: Writer): Ledger {
  return {
    record: (tenantId, enhancement) => writer.writeSoon("recordEnhancement", { tenantId, enhancement }),
    tell: (tenantId, enhancementId, outcome) =>
      writer.write("tellOutcome", { tenantId, enhancementId, outcome }),
    infer: (tenantId, requestHash, outcome) =>
      writer.write("inferOutcome", { tenantId, requestHash, outcome }),
    cells: (tenantId, division) => writer.write("ledgerCells", { tenantId, division }),
    coverage: (tenantId) => writer.write("ledgerCoverage", { tenantId }),
    rulings: (tenantId, limit) => read(() => ledger.rulings(db, { tenantId, limit })),
    rule: (tenantId, ruling) => writer.write("recordRuling", { tenantId, ruling }),
    notes: (tenantId, limit) => writer.write("ledgerNotes", { tenantId, limit }),
    expireAcrossTenants: (before) => writer.write("expireEnhancements", { before }),
  };
}
