import type { KeyHolder, KeyRecord, Tenant, TenantSettings } from "../domain/tenant.ts";

/**
 * Tenants and their keys. Keys arrive hashed: no adapter ever sees one.
 * A revoked key is refused from the next call on in this process, and within seconds in every other.
 */
export interface Keys {
  /** Crosses tenants, as it must: whose live key is this? null where there is none. */
  findByHashAcrossTenants(hash: string): Promise<KeyHolder | null>;

  issue(tenantId: string, key: Omit<KeyRecord, "tenantId" | "revokedAt">): Promise<void>;
  /** Live and revoked, oldest first. */
  list(tenantId: string): Promise<KeyRecord[]>;
  /** false where the tenant has no such live key. */
  revoke(tenantId: string, keyId: string, at: number): Promise<boolean>;

  /** Makes the tenant where it is not there yet. */
  createTenant(
    tenantId: string,
    tenant: { readonly name: string; readonly createdAt: number },
  ): Promise<void>;
  findTenant(tenantId: string): Promise<Tenant | null>;
  /** Crosses tenants: for the operator's own commands. */
  listTenants(): Promise<Tenant[]>;
  /** Replaces the settings; false where there is no such tenant. */
  setTenant(tenantId: string, settings: TenantSettings): Promise<boolean>;
  /** Remembers the fingerprint of the service's secret at first use; false where the database was used with another. */
  claimSecret(fingerprint: string): Promise<boolean>;
  /** Erases the tenant: keys, jobs, knowledge, everything. false where there is no such tenant. */
  removeTenant(tenantId: string): Promise<boolean>;
}
