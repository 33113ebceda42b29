/** Tenants and keys. */
import type { KeyHolder, KeyRecord, Tenant, TenantSettings } from "../../domain/tenant.ts";
import { type Database, sql } from "./driver.ts";

export async function findByHash(db: Database, hash: string): Promise<KeyHolder | null> {
  const row = await db.across.get<{ tenant_id: string; key_id: string; settings: string | null }>(
    `SELECT k.tenant_id, k.key_id, t.settings FROM api_key k LEFT JOIN tenant t ON t.tenant_id = k.tenant_id
     WHERE k.hash = $1 AND k.revoked_at IS NULL`,
    hash,
  );
  return row === undefined
    ? null
    : { tenantId: row.tenant_id, keyId: row.key_id, settings: settingsOf(row.settings ?? NO_SETTINGS) };
}

export async function issueKey(
  db: Database,
  tenantId: string,
  key: Omit<KeyRecord, "tenantId" | "revokedAt">,
): Promise<void> {
  await db.tenant(tenantId).run(
    `INSERT INTO api_key (tenant_id, key_id, hash, last_four, label, created_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    tenantId,
    key.keyId,
    key.hash,
    key.lastFour,
    key.label,
    key.createdAt,
  );
}

export async function listKeys(db: Database, tenantId: string): Promise<KeyRecord[]> {
  const rows = await db.tenant(tenantId).all<KeyRow>(
    `SELECT tenant_id, key_id, hash, last_four, label, created_at, revoked_at FROM api_key
     WHERE tenant_id = $1 ORDER BY created_at, key_id`,
    tenantId,
  );
  return rows.map(keyOf);
}

export async function revokeKey(db: Database, tenantId: string, keyId: string, at: number): Promise<boolean> {
  const changed = await db
    .tenant(tenantId)
    .run(
      "UPDATE api_key SET revoked_at = $3 WHERE tenant_id = $1 AND key_id = $2 AND revoked_at IS NULL",
      tenantId,
      keyId,
      at,
    );
  return changed > 0;
}

export async function createTenant(
  db: Database,
  tenantId: string,
  { name, createdAt }: { readonly name: string; readonly createdAt: number },
): Promise<void> {
  await db
    .tenant(tenantId)
    .run(
      "INSERT INTO tenant (tenant_id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (tenant_id) DO NOTHING",
      tenantId,
      name,
      createdAt,
    );
}

export async function findTenant(db: Database, tenantId: string): Promise<Tenant | null> {
  const row = await db
    .tenant(tenantId)
    .get<TenantRow>(
      "SELECT tenant_id, name, created_at, settings FROM tenant WHERE tenant_id = $1",
      tenantId,
    );
  return row === undefined ? null : tenantOf(row);
}

export async function listTenants(db: Database): Promise<Tenant[]> {
  const rows = await db.across.all<TenantRow>(
    "SELECT tenant_id, name, created_at, settings FROM tenant ORDER BY created_at, tenant_id",
  );
  return rows.map(tenantOf);
}

export async function setTenant(db: Database, tenantId: string, settings: TenantSettings): Promise<boolean> {
  const changed = await db
    .tenant(tenantId)
    .run("UPDATE tenant SET settings = $2 WHERE tenant_id = $1", tenantId, JSON.stringify(settings));
  return changed > 0;
}

/**
 * Every table that holds something of a tenant; a new table is added here, or it would outlive the tenant. The tenant
 * itself comes first: whoever learns for it or forgets waits there, and then finds it gone.
 */
const TENANT_TABLES = [
  "tenant",
  "api_key",
  "job",
  "lane",
  "idempotency",
  "intent",
  "shape",
  "shape_word",
  "word",
  "episode",
  "insight",
  "insight_topic",
  "insight_value",
  "evidence",
  "tally",
  "enhancement",
  "exposure",
  "ruling",
] as const;

export async function removeTenant(db: Database, tenantId: string): Promise<boolean> {
  return db.tenant(tenantId).slowTransaction(async (transaction) => {
    const [removed] = await transaction.last(
      TENANT_TABLES.map((table) => sql(`DELETE FROM ${table} WHERE tenant_id = $1`, tenantId)),
    );
    return removed !== undefined && removed.count > 0;
  });
}

export async function claimSecret(db: Database, fingerprint: string): Promise<boolean> {
  const [, { rows }] = await db.across.batch([
    sql("INSERT INTO meta (name, value) VALUES ('secret', $1) ON CONFLICT (name) DO NOTHING", fingerprint),
    sql<{ value: string }>("SELECT value FROM meta WHERE name = 'secret'"),
  ]);
  return rows[0]?.value === fingerprint;
}

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
