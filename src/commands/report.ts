import { upliftBody } from "../http/interface/uplift-body.ts";
import { reportPage } from "../prove/report.ts";
import type { Command } from "./command.ts";
import { readOptions, required } from "./options.ts";
import { knownTenant, withService } from "./with-service.ts";

const MOST_RULINGS = 50;
const MOST_NOTES = 10;

export const report: Command = {
  usage: "report --tenant T [--json]",
  summary:
    "What advice is worth to a tenant: uplift, best and worst insights, coverage, what was retired and why.",
  async run(words, io) {
    const { values } = readOptions(words, { tenant: { type: "string" }, json: { type: "boolean" } });
    return withService(io, async (service) => {
      const tenantId = await knownTenant(service, required(values.tenant, "--tenant"));
      const uplift = await service.measureUplift(tenantId);
      const rulings = await service.ledger.rulings(tenantId, MOST_RULINGS);
      const notes = await service.ledger.notes(tenantId, MOST_NOTES);
      if (values.json) {
        const { coverage } = uplift;
        io.out(JSON.stringify({ ...upliftBody(uplift), coverage, rulings, notes }, null, 2));
      } else {
        io.out(reportPage({ uplift, rulings, notes }));
      }
      return 0;
    });
  },
};
