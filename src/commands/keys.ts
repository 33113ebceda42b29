import type { Command } from "./command.ts";
import { issueKey, newTenant } from "./issue-key.ts";
import { readOptions, required } from "./options.ts";
import { knownTenant, withBase } from "./with-service.ts";

export const keysIssue: Command = {
  usage: "keys issue [--tenant T | --new-tenant NAME] [--label L]",
  summary: "Make a key, print it once. Without --tenant, a new tenant is made.",
  async run(words, io) {
    const { values } = readOptions(words, {
      tenant: { type: "string" },
      "new-tenant": { type: "string" },
      label: { type: "string" },
    });
    return withBase(io, async (service) => {
      const tenantId =
        values.tenant === undefined
          ? await newTenant(service, values["new-tenant"] ?? "unnamed")
          : await knownTenant(service, values.tenant);
      const key = await issueKey(service, tenantId, values.label ?? "");
      io.err(`tenant ${tenantId}: the key below is shown this once`);
      io.out(key);
      return 0;
    });
  },
};

export const keysList: Command = {
  usage: "keys list --tenant T",
  summary: "The keys of a tenant, live and revoked. Keys themselves are stored nowhere.",
  async run(words, io) {
    const { values } = readOptions(words, { tenant: { type: "string" } });
    return withBase(io, async (service) => {
      const tenantId = await knownTenant(service, required(values.tenant, "--tenant"));
      for (const key of await service.keys.list(tenantId)) {
        const state = key.revokedAt === null ? "live" : `revoked ${new Date(key.revokedAt).toISOString()}`;
        const made = new Date(key.createdAt).toISOString();
        io.out([key.keyId, `…${key.lastFour}`, `made ${made}`, state, key.label].join("  ").trimEnd());
      }
      return 0;
    });
  },
};

export const keysRevoke: Command = {
  usage: "keys revoke KEY_ID --tenant T",
  summary: "Refuse a key from now on.",
  async run(words, io) {
    const { values, positionals } = readOptions(words, { tenant: { type: "string" } });
    return withBase(io, async (service) => {
      const tenantId = await knownTenant(service, required(values.tenant, "--tenant"));
      const keyId = required(positionals[0], "KEY_ID");
      if (await service.keys.revoke(tenantId, keyId, service.clock())) {
        io.out(`revoked ${keyId}`);
        return 0;
      }
      io.err(`the tenant has no live key ${keyId}; "whetstone keys list --tenant ${tenantId}" shows them`);
      return 1;
    });
  },
};

export const keysRotate: Command = {
  usage: "keys rotate KEY_ID --tenant T [--keep-old]",
  summary: "Make a new key in place of an old one, which is revoked at once unless --keep-old.",
  async run(words, io) {
    const { values, positionals } = readOptions(words, {
      tenant: { type: "string" },
      "keep-old": { type: "boolean" },
    });
    return withBase(io, async (service) => {
      const tenantId = await knownTenant(service, required(values.tenant, "--tenant"));
      const keyId = required(positionals[0], "KEY_ID");
      const old = (await service.keys.list(tenantId)).find(
        (key) => key.keyId === keyId && key.revokedAt === null,
      );
      if (old === undefined) {
        io.err(`the tenant has no live key ${keyId}`);
        return 1;
      }
      const key = await issueKey(service, tenantId, old.label);
      if (!values["keep-old"]) await service.keys.revoke(tenantId, keyId, service.clock());
      io.err(
        `the key below is shown this once; ${keyId} is ${values["keep-old"] ? "still live" : "revoked"}`,
      );
      io.out(key);
      return 0;
    });
  },
};
