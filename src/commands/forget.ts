import { type Command, UsageError } from "./command.ts";
import { readOptions, required } from "./options.ts";
import { knownTenant, withService } from "./with-service.ts";

export const forget: Command = {
  usage: 'forget "INTENT" --tenant T [--threshold 0.5] [--dry-run] [--json]',
  summary: "What delete_by_intent does; with --dry-run only what it would delete, most alike first.",
  async run(words, io) {
    const { values, positionals } = readOptions(words, {
      tenant: { type: "string" },
      threshold: { type: "string" },
      "dry-run": { type: "boolean" },
      json: { type: "boolean" },
    });
    const intent = required(positionals[0], "INTENT");
    const threshold = Number(values.threshold ?? 0.5);
    if (Number.isNaN(threshold)) throw new UsageError("--threshold is a number");
    return withService(io, async (service) => {
      const tenantId = await knownTenant(service, required(values.tenant, "--tenant"));
      const dryRun = values["dry-run"] ?? false;
      const result = await service.forget({ tenantId, intent, threshold, dryRun });
      if (values.json) {
        io.out(JSON.stringify(result));
        return 0;
      }
      const matches = result.matches.toSorted((a, b) => b.similarity - a.similarity);
      for (const { jobId, intent: text, similarity } of matches)
        io.out(`${similarity.toFixed(3)}  ${jobId}  ${text}`);
      const { episodes, uploads, insights } = result.forgotten;
      io.out(
        dryRun
          ? `${matches.length} would be deleted`
          : `deleted ${episodes + uploads}, and ${insights} insights`,
      );
      return 0;
    });
  },
};
