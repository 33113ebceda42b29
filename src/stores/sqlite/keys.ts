/** Tenants and keys. Reads and writes as plain functions over a connection. */
import type { KeyHolder, KeyRecord, Tenant, TenantSettings } from "../../domain/tenant.ts";
import type { Database } from "./driver.ts";

export function findByHash(db: Database, { hash }: { hash: string }): KeyHolder | null {
  const row = db.get<{ tenant_id: string; key_id: string; settings: string | null }>(
    `SELECT k.tenant_id, k.key_id, t.settings FROM api_key k LEFT JOIN tenant t ON t.tenant_id = k.tenant_id
     WHERE k.hash = ? AND k.revoked_at IS NULL`,
    hash,
  );
  return row === undefined
    ? null
    : { tenantId: row.tenant_id, keyId: row.key_id, settings: settingsOf(row.settings ?? NO_SETTINGS) };
}

export function issueKey(
  db: Database,
  { tenantId, key }: { tenantId: string; key: Omit<KeyRecord, "tenantId" | "revokedAt"> },
): void {
  db.run(
    "INSERT INTO api_key (tenant_id, key_id, hash, last_four, label, created_at) VALUES (?, ?, ?, ?, ?, ?)",
    tenantId,
    key.keyId,
    key.hash,
    key.lastFour,
    key.label,
    key.createdAt,
  );
}

export function listKeys(db: Database, { tenantId }: { tenantId: string }): KeyRecord[] {
  return db
    .all<KeyRow>(
      `SELECT ${KEY_COLUMNS} FROM api_key WHERE tenant_id = ? ORDER BY created_at, key_id`,
      tenantId,
    )
    .map(keyOf);
}

export function revokeKey(
  db: Database,
  { tenantId, keyId, at }: { tenantId: string; keyId: string; at: number },
): boolean {
  return (
    db.run(
      "UPDATE api_key SET revoked_at = ? WHERE tenant_id = ? AND key_id = ? AND revoked_at IS NULL",
      at,
      tenantId,
      keyId,
    ) > 0
  );
}

export function createTenant(
  db: Database,
  { tenantId, name, createdAt }: { tenantId: string; name: string; createdAt: number },
): void {
  db.run(
    "INSERT OR IGNORE INTO tenant (tenant_id, name, created_at) VALUES (?, ?, ?)",
    tenantId,
    name,
    createdAt,
  );
}

export function findTenant(db: Database, { tenantId }: { tenantId: string }): Tenant | null {
  const row = db.get<TenantRow>(`SELECT ${TENANT_COLUMNS} FROM tenant WHERE tenant_id = ?`, tenantId);
  return row === undefined ? null : tenantOf(row);
}

export function listTenants(db: Database): Tenant[] {
  return db
    .all<TenantRow>(`SELECT ${TENANT_COLUMNS} FROM tenant ORDER BY created_at, tenant_id`)
    .map(tenantOf);
}

export function setTenant(
  db: Database,
  { tenantId, settings }: { tenantId: string; settings: TenantSettings },
): boolean {
  return db.run("UPDATE tenant SET settings = ? WHERE tenant_id = ?", JSON.stringify(settings), tenantId) > 0;
}

/** Every table that holds something of a tenant; a new table is added here, or it would outlive the tenant. */
const TENANT_TABLES = [
  "exposure",
  "enhancement",
  "ruling",
  "tally",
  "evidence",
  "insight_value",
  "insight_topic",
  "insight",
  "episode",
  "shape",
  "intent",
  "idempotency",
  "lane",
  "job",
  "api_key",
  "tenant",
] as const;

export function removeTenant(db: Database, { tenantId }: { tenantId: string }): boolean {
  let removed = 0;
  for (const table of TENANT_TABLES) removed = db.run(`DELETE FROM ${table} WHERE tenant_id = ?`, tenantId);
  return removed > 0;
}

export function claimSecret(db: Database, { fingerprint }: { fingerprint: string }): boolean {
  db.run("INSERT OR IGNORE INTO meta (name, value) VALUES ('secret', ?)", fingerprint);
  return db.get<{ value: string }>("SELECT value FROM meta WHERE name = 'secret'")?.value === fingerprint;
}

const KEY_COLUMNS = "tenant_id, key_id, hash, last_four, label, created_at, revoked_at";
const TENANT_COLUMNS = "tenant_id, name, created_at, settings";

interface KeyRow {
  readonly tenant_id: string;
  readonly key_id: string;
  readonly hash: string;
  readonly last_four: string;
  readonly label: string;
  readonly created_at: number;
  readonly revoked_at: number | null;
}

function keyOf(row: KeyRow): KeyRecord {
  return {
    tenantId: row.tenant_id,
    keyId: row.key_id,
    hash: row.hash,
    lastFour: row.last_four,
    label: row.label,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
  };
}

interface TenantRow {
  readonly tenant_id: string;
  readonly name: string;
  readonly created_at: number;
  readonly settings: string;
}

function tenantOf(row: TenantRow): Tenant {
  return {
    tenantId: row.tenant_id,
    name: row.name,
    createdAt: row.created_at,
    settings: settingsOf(row.settings),
  };
}

const NO_SETTINGS = "{}";

function settingsOf(text: string): TenantSettings {
  return text === NO_SETTINGS ? {} : (JSON.parse(text) as TenantSettings);
}
