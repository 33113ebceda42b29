import { reindex as embedAnew } from "../compare/reindex.ts";
import type { Command } from "./command.ts";
import { readOptions } from "./options.ts";
import { knownTenant, withService } from "./with-service.ts";

export const reindex: Command = {
  usage: "reindex [--tenant T]",
  summary:
    "Embed anew, after another embedder was set; of all tenants, or of one. The service may go on serving.",
  async run(words, io) {
    const { values } = readOptions(words, { tenant: { type: "string" } });
    return withService(io, async (service) => {
      const tenants =
        values.tenant === undefined
          ? (await service.keys.listTenants()).map(({ tenantId }) => tenantId)
          : [await knownTenant(service, values.tenant)];
      for (const tenantId of tenants) {
        const done = await embedAnew(service, tenantId, (soFar) => io.err(`${tenantId}: ${soFar} embedded`));
        io.out(`${tenantId}: ${done} texts embedded with ${service.embedder.space}`);
      }
      return 0;
    });
  },
};
