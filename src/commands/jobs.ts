import type { Job, JobState } from "../domain/job.ts";
import type { Vault } from "../domain/vault.ts";
import { type Command, UsageError } from "./command.ts";
import { readOptions, required, wholeNumber } from "./options.ts";
import { knownTenant, withBase } from "./with-service.ts";

const STATES: readonly string[] = ["queued", "running", "completed", "failed"] satisfies JobState[];

export const jobsList: Command = {
  usage: "jobs list --tenant T [--state failed] [--limit 20]",
  summary: "The newest jobs of a tenant; of failed ones, the opened error.",
  async run(words, io) {
    const { values } = readOptions(words, {
      tenant: { type: "string" },
      state: { type: "string" },
      limit: { type: "string" },
    });
    if (values.state !== undefined && !STATES.includes(values.state)) {
      throw new UsageError(`--state is one of ${STATES.join(", ")}`);
    }
    return withBase(io, async (service) => {
      const tenantId = await knownTenant(service, required(values.tenant, "--tenant"));
      const state = values.state === undefined ? {} : { state: values.state as JobState };
      const limit = wholeNumber(values.limit, "--limit", 20);
      for (const job of await service.queue.list(tenantId, { ...state, limit })) {
        io.out([job.jobId, job.state, `made ${new Date(job.createdAt).toISOString()}`].join("  "));
        if (job.sealedError !== null) io.out(indent(opened(service.vault, job, job.sealedError)));
      }
      return 0;
    });
  },
};

export const jobsRetry: Command = {
  usage: "jobs retry (JOB_ID | --all) --tenant T",
  summary: "Queue failed jobs once more.",
  async run(words, io) {
    const { values, positionals } = readOptions(words, {
      tenant: { type: "string" },
      all: { type: "boolean" },
    });
    return withBase(io, async (service) => {
      const tenantId = await knownTenant(service, required(values.tenant, "--tenant"));
      const ids = values.all
        ? (await service.queue.list(tenantId, { state: "failed", limit: 100_000 })).map((job) => job.jobId)
        : [required(positionals[0], "JOB_ID")];
      let queued = 0;
      for (const id of ids) queued += Number(await service.queue.retry(tenantId, id, service.clock()));
      io.out(`${queued} of ${ids.length} queued again`);
      return queued === ids.length ? 0 : 1;
    });
  },
};

export const openError: Command = {
  usage: "open-error ERROR_MESSAGE --job JOB_ID",
  summary: "Open the sealed error_message of a failed job.",
  async run(words, io) {
    const { values, positionals } = readOptions(words, { job: { type: "string" } });
    const sealed = required(positionals[0], "ERROR_MESSAGE");
    const jobId = required(values.job, "--job");
    return withBase(io, async ({ vault }) => {
      try {
        io.out(vault.openError(jobId, sealed));
        return 0;
      } catch {
        io.err("this message was not sealed by this service for that job");
        return 1;
      }
    });
  },
};

function opened(vault: Vault, job: Job, sealed: string): string {
  try {
    return vault.openError(job.jobId, sealed);
  } catch {
    return "(sealed with another secret)";
  }
}

function indent(text: string): string {
  return text.replace(/^/gm, "    ");
}
