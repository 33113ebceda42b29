import { describe, expect, it, onTestFinished } from "vitest";
import { SetupError } from "../../src/domain/errors.ts";
import { openDatabase } from "../../src/stores/sqlite/driver.ts";
import { migrate } from "../../src/stores/sqlite/migrations.ts";
import { type Write, writeAll } from "../../src/stores/sqlite/operations.ts";
import { openSqlite } from "../../src/stores/sqlite/sqlite.ts";
import { keysContract } from "../contracts/keys.ts";
import { enhancementOf, ledgerContract } from "../contracts/ledger.ts";
import { queueContract } from "../contracts/queue.ts";
import { storeContract } from "../contracts/store.ts";
import { temporaryFolder } from "../support/folder.ts";

async function open() {
  const stores = openSqlite({ directory: temporaryFolder(), threaded: false, indexBytes: 1e9 });
  onTestFinished(() => stores.store.close());
  return stores;
}

describe("SQLite queue", () => queueContract(open));
describe("SQLite keys", () => keysContract(open));
describe("SQLite store", () => storeContract(open));
describe("SQLite ledger", () => ledgerContract(open));

describe("SQLite itself", () => {
  const database = () => {
    const db = openDatabase(`${temporaryFolder()}/whetstone.db`, { readOnly: false });
    onTestFinished(() => db.close());
    return db;
  };

  it("commits in a way that survives a power cut", () => {
    const db = database();
    expect(db.get("PRAGMA journal_mode")).toEqual({ journal_mode: "wal" });
    expect(db.get("PRAGMA synchronous")).toEqual({ synchronous: 2 });
  });

  it("brings an empty file up to date, and a second time changes nothing", () => {
    const db = database();
    migrate(db);
    const before = db.all("SELECT * FROM sqlite_schema");
    migrate(db);
    expect(db.all("SELECT * FROM sqlite_schema")).toEqual(before);
  });

  it("refuses a schema that is newer than the program", () => {
    const db = database();
    db.exec("PRAGMA user_version = 9999");
    expect(() => migrate(db)).toThrow(SetupError);
  });

  it("lets one failing write of a shared commit take no other with it", () => {
    const db = database();
    migrate(db);
    const issue = (keyId: string): Write => ({
      name: "issueKey",
      argument: { tenantId: "a", key: { keyId, hash: keyId, lastFour: "", label: "", createdAt: 1 } },
    });
    const [first, twice, last] = writeAll(db, [issue("k1"), issue("k1"), issue("k2")]);
    expect(first).toHaveProperty("result");
    expect(twice).toHaveProperty("error");
    expect(last).toHaveProperty("result");
    expect(db.all("SELECT key_id FROM api_key ORDER BY key_id")).toEqual([
      { key_id: "k1" },
      { key_id: "k2" },
    ]);
  });

  it("has what was recorded on disk within a second, though nobody waits for it", async () => {
    const directory = temporaryFolder();
    const stores = openSqlite({ directory, threaded: false, indexBytes: 1e9 });
    onTestFinished(() => stores.store.close());
    await stores.keys.createTenant("a", { name: "a", createdAt: 1 });
    stores.ledger.record("a", enhancementOf("e1"));
    const other = openDatabase(`${directory}/whetstone.db`, { readOnly: true });
    onTestFinished(() => other.close());
    const recorded = () => other.all("SELECT enhancement_id FROM enhancement");
    expect(recorded()).toEqual([]);
    await expect.poll(recorded, { timeout: 1_500 }).toEqual([{ enhancement_id: "e1" }]);
    stores.ledger.record("a", enhancementOf("e2"));
    await stores.queue.enqueue("a", { jobId: "j", createdAt: 1, payload: new Uint8Array([1]) });
    expect(recorded()).toHaveLength(2);
  });

  it("keeps tenant_id first in every key and index that holds tenants' rows", () => {
    const db = database();
    migrate(db);
    const acrossTenants = new Set([
      "meta", // the service's own
      "api_key_by_hash", // the look-up of a key by its hash
      "job_running", // a worker's claim of the next job
      "job_ended", // maintenance
      "idempotency_age",
      "lane_order",
      "enhancement_age",
      "exposure_age",
    ]);
    const tables = db.all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'");
    for (const { name: table } of tables) {
      for (const index of db.all<{ name: string }>(`PRAGMA index_list(${table})`)) {
        const [first] = db.all<{ name: string }>(`PRAGMA index_info(${index.name})`);
        if (acrossTenants.has(index.name) || acrossTenants.has(table)) continue;
        expect(`${index.name}: ${first?.name}`).toBe(`${index.name}: tenant_id`);
      }
    }
  });
});
