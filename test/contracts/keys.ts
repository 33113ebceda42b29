/** What every Keys adapter must do. */
import { expect, it } from "vitest";
import { learnedFrom } from "../support/learned.ts";
import type { Stores } from "./stores.ts";

export function keysContract(open: () => Promise<Stores>): void {
  const key = (keyId: string, createdAt = 1) => ({
    keyId,
    hash: `hash of ${keyId}`,
    lastFour: "abcd",
    label: "",
    createdAt,
  });

  it("finds whose live key a hash is", async () => {
    const { keys } = await open();
    await keys.createTenant("a", { name: "A", createdAt: 1 });
    await keys.issue("a", key("k1"));
    await keys.issue("a", key("k2", 2));
    expect(await keys.findByHashAcrossTenants("hash of k2")).toMatchObject({ tenantId: "a", keyId: "k2" });
    expect(await keys.findByHashAcrossTenants("hash of k3")).toBeNull();
    expect((await keys.list("a")).map(({ keyId }) => keyId)).toEqual(["k1", "k2"]);
    expect(await keys.list("b")).toEqual([]);
  });

  it("refuses a revoked key and keeps its record", async () => {
    const { keys } = await open();
    await keys.issue("a", key("k1"));
    expect(await keys.revoke("b", "k1", 5)).toBe(false);
    expect(await keys.revoke("a", "k1", 5)).toBe(true);
    expect(await keys.revoke("a", "k1", 6)).toBe(false);
    expect(await keys.findByHashAcrossTenants("hash of k1")).toBeNull();
    expect(await keys.list("a")).toMatchObject([{ keyId: "k1", revokedAt: 5 }]);
  });

  it("keeps a tenant's settings", async () => {
    const { keys } = await open();
    await keys.createTenant("a", { name: "A", createdAt: 1 });
    await keys.createTenant("a", { name: "again", createdAt: 2 });
    expect(await keys.findTenant("a")).toEqual({ tenantId: "a", name: "A", createdAt: 1, settings: {} });
    expect(await keys.setTenant("a", { rateLimit: 5 })).toBe(true);
    expect(await keys.setTenant("b", { rateLimit: 5 })).toBe(false);
    expect((await keys.findTenant("a"))?.settings).toEqual({ rateLimit: 5 });
    expect((await keys.listTenants()).map(({ tenantId }) => tenantId)).toEqual(["a"]);
  });

  it("erases a tenant with everything it has, and no other", async () => {
    const { keys, queue, store } = await open();
    for (const tenant of ["a", "b"]) {
      await keys.createTenant(tenant, { name: tenant, createdAt: 1 });
      await keys.issue(tenant, key(`key of ${tenant}`));
      await queue.enqueue(tenant, { jobId: "j1", createdAt: 1, payload: new Uint8Array([1]) });
    }
    const claimed = await queue.claimAcrossTenants({ worker: "w", now: 2, leaseUntil: 9, limit: 2 });
    for (const { tenantId, fence } of claimed)
      await store.complete(tenantId, fence, learnedFrom("j1", "the same"));
    expect(await keys.removeTenant("a")).toBe(true);
    expect(await keys.removeTenant("a")).toBe(false);
    expect(await keys.findTenant("a")).toBeNull();
    expect(await keys.findByHashAcrossTenants("hash of key of a")).toBeNull();
    expect(await queue.find("a", "j1")).toBeNull();
    const { intentId } = learnedFrom("j1", "the same").intent;
    expect(await store.episodesOf("a", [intentId])).toEqual([]);
    expect(await store.listInsights("a", { limit: 10 })).toEqual([]);
    expect(await store.episodesOf("b", [intentId])).toHaveLength(1);
    expect(await keys.findByHashAcrossTenants("hash of key of b")).not.toBeNull();
  });

  it("notices that the secret was exchanged", async () => {
    const { keys } = await open();
    expect(await keys.claimSecret("one")).toBe(true);
    expect(await keys.claimSecret("one")).toBe(true);
    expect(await keys.claimSecret("two")).toBe(false);
  });
}
