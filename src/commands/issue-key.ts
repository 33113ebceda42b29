/** Makes keys. The key itself is returned once and kept nowhere. */
import { newKey } from "../domain/api-key.ts";
import { newId } from "../domain/ids.ts";
import type { Base } from "../service.ts";

type Parts = Pick<Base, "keys" | "vault" | "clock">;

export async function issueKey(
  { keys, vault, clock }: Parts,
  tenantId: string,
  label: string,
): Promise<string> {
  const key = newKey();
  await storeKey({ keys, vault, clock }, tenantId, key, label);
  return key;
}

export async function newTenant(
  { keys, clock }: Pick<Parts, "keys" | "clock">,
  name: string,
): Promise<string> {
  const tenantId = newId(clock());
  await keys.createTenant(tenantId, { name, createdAt: clock() });
  return tenantId;
}

/** A literal key of the operator's own, with a tenant of its own, where it is not there yet. */
export async function ensureKey(parts: Parts, literal: string): Promise<void> {
  if ((await parts.keys.findByHashAcrossTenants(parts.vault.hashKey(literal))) !== null) return;
  const tenantId = await newTenant(parts, "bootstrap");
  await storeKey(parts, tenantId, literal, "bootstrap");
}

async function storeKey(
  { keys, vault, clock }: Parts,
  tenantId: string,
  key: string,
  label: string,
): Promise<void> {
  const now = clock();
  const hash = vault.hashKey(key);
  // of a short literal key even four characters would tell too much
  const lastFour = key.length >= 20 ? key.slice(-4) : "****";
  await keys.issue(tenantId, { keyId: newId(now), hash, lastFour, label, createdAt: now });
}
