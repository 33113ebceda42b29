import type { Command } from "./command.ts";
import { readOptions, required } from "./options.ts";
import { knownTenant, withService } from "./with-service.ts";

export const ask: Command = {
  usage: 'ask "TEXT" --tenant T [--json]',
  summary: "What enhance_task would answer.",
  async run(words, io) {
    const { values, positionals } = readOptions(words, {
      tenant: { type: "string" },
      json: { type: "boolean" },
    });
    const text = required(positionals[0], "TEXT");
    return withService(io, async (service) => {
      const tenantId = await knownTenant(service, required(values.tenant, "--tenant"));
      const advice = await service.advise({ tenantId, text, context: {}, agentType: null });
      if (values.json) io.out(JSON.stringify(advice));
      else {
        io.out(advice.response);
        if (advice.abstained !== null) io.err(`no advice: ${advice.abstained}`);
      }
      return 0;
    });
  },
};
