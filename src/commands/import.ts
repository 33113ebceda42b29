import { contentId } from "../domain/ids.ts";
import type { Service } from "../service.ts";
import { newIdentity } from "../worker/identity.ts";
import { createWorker } from "../worker/worker.ts";
import type { Command, Io } from "./command.ts";
import { readOptions, required } from "./options.ts";
import { readUploads } from "./read-uploads.ts";
import { knownTenant, withService } from "./with-service.ts";

/** Uploads written together: one wait for the disk for all of them. */
const AT_ONCE = 256;

export const importHistory: Command = {
  usage: "import FILE.jsonl --tenant T [--queue-only]",
  summary: "Learn from past runs, one upload a line. Started again, it goes on where it was.",
  async run(words, io) {
    const { values, positionals } = readOptions(words, {
      tenant: { type: "string" },
      "queue-only": { type: "boolean" },
    });
    const file = required(positionals[0], "FILE.jsonl");
    return withService(io, async (service) => {
      const tenantId = await knownTenant(service, required(values.tenant, "--tenant"));
      const { accepted, known, refused } = await queueLines(service, tenantId, file, io);
      io.err(`queued ${accepted.size}, already known ${known}, refused ${refused}`);
      const failed = values["queue-only"] ? 0 : await learnAll(service, tenantId, accepted, io);
      return refused + failed === 0 ? 0 : 1;
    });
  },
};

async function queueLines(service: Service, tenantId: string, file: string, io: Io) {
  const accepted = new Set<string>();
  const counts = { known: 0, refused: 0 };
  let waiting: Promise<void>[] = [];
  for await (const { number, line, upload } of readUploads(file)) {
    if (typeof upload === "string") {
      counts.refused += 1;
      io.err(`line ${number}: ${upload}`);
      continue;
    }
    // the id is made from the line, so that the same file again adds nothing, and begins with the line's number, so
    // that jobs are learned from in the order of the file
    const jobId = asUuid(number.toString(16).padStart(8, "0") + contentId("import", tenantId, line));
    waiting.push(
      service.accept({ tenantId, interaction: upload, jobId }).then(({ kind }) => {
        if (kind === "accepted") accepted.add(jobId);
        else counts.known += 1;
      }),
    );
    if (waiting.length >= AT_ONCE) {
      await Promise.all(waiting);
      waiting = [];
    }
  }
  await Promise.all(waiting);
  return { accepted, ...counts };
}

function asUuid(hash: string): string {
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}

/** Works until these jobs have ended, by this process or by another; what else is in the queue takes its turns too. */
async function learnAll(
  service: Service,
  tenantId: string,
  jobIds: ReadonlySet<string>,
  io: Io,
): Promise<number> {
  const open = new Set(jobIds);
  let failed = 0;
  const worker = createWorker({ ...service, name: newIdentity(), concurrency: 32, observe: () => {} });
  while (open.size > 0) {
    const worked = await worker.tick();
    const before = open.size;
    for (const jobId of [...open].slice(0, LOOKED_AT)) {
      const state = (await service.queue.find(tenantId, jobId))?.state;
      if (state === "queued" || state === "running") break;
      open.delete(jobId);
      if (state === "failed") failed += 1;
    }
    const done = jobIds.size - open.size;
    if (Math.floor(done / 500) > Math.floor((jobIds.size - before) / 500))
      io.err(`learned from ${done} of ${jobIds.size}`);
    if (worked === 0 && open.size > 0) await new Promise((resolve) => setTimeout(resolve, 200));
  }
  io.err(`learned from ${jobIds.size - failed}, failed ${failed}`);
  return failed;
}

/** Jobs end in their order, nearly; so many are asked about after each round of work. */
const LOOKED_AT = 64;
