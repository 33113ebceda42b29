import type { TenantSettings } from "../domain/tenant.ts";
import { type Command, UsageError } from "./command.ts";
import { readOptions, required, wholeNumber } from "./options.ts";
import { knownTenant, withBase } from "./with-service.ts";

export const tenantsList: Command = {
  usage: "tenants list",
  summary: "The tenants with their settings.",
  async run(words, io) {
    readOptions(words, {});
    return withBase(io, async (service) => {
      for (const { tenantId, name, createdAt, settings } of await service.keys.listTenants()) {
        io.out(
          [tenantId, `made ${new Date(createdAt).toISOString()}`, JSON.stringify(settings), name].join("  "),
        );
      }
      return 0;
    });
  },
};

export const tenantsSet: Command = {
  usage: "tenants set --tenant T [--redact-personal-data on|off] [--rate-limit N] [--holdout 0.1]",
  summary: "Change a tenant's settings; secrets are redacted whatever is set.",
  async run(words, io) {
    const { values } = readOptions(words, {
      tenant: { type: "string" },
      "redact-personal-data": { type: "string" },
      "rate-limit": { type: "string" },
      holdout: { type: "string" },
    });
    return withBase(io, async (service) => {
      const tenantId = await knownTenant(service, required(values.tenant, "--tenant"));
      const before = (await service.keys.findTenant(tenantId))?.settings ?? {};
      const redact = onOrOff(values["redact-personal-data"]);
      const settings: TenantSettings = {
        ...before,
        ...(redact === undefined ? {} : { redactPersonalData: redact }),
        ...(values["rate-limit"] === undefined
          ? {}
          : { rateLimit: wholeNumber(values["rate-limit"], "--rate-limit", 0) }),
        ...(values.holdout === undefined ? {} : { holdout: share(values.holdout, "--holdout") }),
      };
      await service.keys.setTenant(tenantId, settings);
      io.out(JSON.stringify(settings));
      return 0;
    });
  },
};

function share(text: string, name: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0 && value <= 1))
    throw new UsageError(`${name} is a share from 0 to 1, not "${text}"`);
  return value;
}

function onOrOff(text: string | undefined): boolean | undefined {
  if (text === undefined || text === "on" || text === "off")
    return text === undefined ? undefined : text === "on";
  throw new UsageError(`--redact-personal-data is on or off, not "${text}"`);
}

export const tenantsRemove: Command = {
  usage: "tenants remove --tenant T --yes",
  summary: "Erase a tenant: its keys, its jobs and all it has learned. There is no way back.",
  async run(words, io) {
    const { values } = readOptions(words, { tenant: { type: "string" }, yes: { type: "boolean" } });
    return withBase(io, async (service) => {
      const tenantId = await knownTenant(service, required(values.tenant, "--tenant"));
      if (!values.yes) throw new UsageError("erasing a tenant cannot be undone: say --yes");
      await service.keys.removeTenant(tenantId);
      io.out(`erased ${tenantId}`);
      return 0;
    });
  },
};
