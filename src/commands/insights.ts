import { INSIGHT_KINDS, type InsightKind, type InsightStatus } from "../domain/insight.ts";
import { tell } from "../domain/tell.ts";
import type { CountedInsight } from "../ports/store.ts";
import { type Command, UsageError } from "./command.ts";
import { readOptions, required, wholeNumber } from "./options.ts";
import { knownTenant, withBase } from "./with-service.ts";

const STATUSES: readonly string[] = ["candidate", "active", "retired"] satisfies InsightStatus[];

export const insightsList: Command = {
  usage: "insights list --tenant T [--kind workflow] [--status active] [--limit 20] [--json]",
  summary: "What a tenant has learned, best supported first.",
  async run(words, io) {
    const { values } = readOptions(words, {
      tenant: { type: "string" },
      kind: { type: "string" },
      status: { type: "string" },
      limit: { type: "string" },
      json: { type: "boolean" },
    });
    const kind = oneOf<InsightKind>(values.kind, "--kind", INSIGHT_KINDS);
    const status = oneOf<InsightStatus>(values.status, "--status", STATUSES);
    return withBase(io, async (service) => {
      const tenantId = await knownTenant(service, required(values.tenant, "--tenant"));
      const limit = wholeNumber(values.limit, "--limit", 20);
      const found = await service.store.listInsights(tenantId, { ...kind, ...status, limit });
      for (const one of found) io.out(values.json ? JSON.stringify(one) : line(one));
      return 0;
    });
  },
};

export const insightsShow: Command = {
  usage: "insights show INSIGHT_ID --tenant T",
  summary: "One insight with all its evidence, down to turns, as JSON.",
  async run(words, io) {
    const { values, positionals } = readOptions(words, { tenant: { type: "string" } });
    return withBase(io, async (service) => {
      const tenantId = await knownTenant(service, required(values.tenant, "--tenant"));
      const found = await service.store.findInsight(tenantId, required(positionals[0], "INSIGHT_ID"));
      if (found === null) {
        io.err("the tenant has no such insight");
        return 1;
      }
      io.out(JSON.stringify({ text: textOf(found), ...found }, null, 2));
      return 0;
    });
  },
};

export const insightsRetire: Command = {
  usage: "insights retire INSIGHT_ID --tenant T [--why SENTENCE] [--undo]",
  summary: "Show an insight no more, or, with --undo, again.",
  async run(words, io) {
    const { values, positionals } = readOptions(words, {
      tenant: { type: "string" },
      why: { type: "string" },
      undo: { type: "boolean" },
    });
    return withBase(io, async (service) => {
      const tenantId = await knownTenant(service, required(values.tenant, "--tenant"));
      const insightId = required(positionals[0], "INSIGHT_ID");
      const retirement = values.undo
        ? null
        : { at: service.clock(), why: values.why ?? "retired by an operator" };
      if (!(await service.store.retire(tenantId, insightId, retirement))) {
        io.err("the tenant has no such insight");
        return 1;
      }
      io.out(values.undo ? "shown again" : "retired");
      return 0;
    });
  },
};

function oneOf<T extends string>(
  text: string | undefined,
  name: string,
  allowed: readonly string[],
): Record<string, T> {
  if (text === undefined) return {};
  if (!allowed.includes(text)) throw new UsageError(`${name} is one of ${allowed.join(", ")}`);
  return { [name.slice(2)]: text as T };
}

function line(one: CountedInsight): string {
  return [
    one.insight.insightId,
    one.insight.kind,
    one.status,
    `[${one.insight.appliesWhen}]`,
    textOf(one),
  ].join("  ");
}

function textOf({ insight: { structure }, support, unknown, against, values }: CountedInsight): string {
  return tell({ structure, support, unknown, against, values });
}
