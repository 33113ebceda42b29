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
      io.err(`queued ${accepted}, already known ${known}, refused ${refused}`);
      const failed = values["queue-only"] ? 0 : await learnAll(service, accepted, io);
      return refused + failed === 0 ? 0 : 1;
    });
  },
};

async function queueLines(service: Service, tenantId: string, file: string, io: Io) {
  const counts = { accepted: 0, known: 0, refused: 0 };
  const seen = new Map<string, number>();
  let waiting: Promise<void>[] = [];
  for await (const { number, line, upload } of readUploads(file)) {
    if (typeof upload === "string") {
      counts.refused += 1;
      io.err(`line ${number}: ${upload}`);
      continue;
    }
    // the id is made from the line, and from how often it stood before: the same file again adds nothing
    const hash = contentId("import", tenantId, line);
    const occurrence = seen.get(hash) ?? 0;
    seen.set(hash, occurrence + 1);
    const jobId = asUuid(contentId("import", hash, `${occurrence}`));
    waiting.push(
      service.accept({ tenantId, interaction: upload, jobId }).then(({ kind }) => {
        counts[kind === "accepted" ? "accepted" : "known"] += 1;
      }),
    );
    if (waiting.length >= AT_ONCE) {
      await Promise.all(waiting);
      waiting = [];
    }
  }
  await Promise.all(waiting);
  return counts;
}

function asUuid(hash: string): string {
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}

async function learnAll(service: Service, expected: number, io: Io): Promise<number> {
  let ended = 0;
  let failed = 0;
  const worker = createWorker({
    ...service,
    name: newIdentity(),
    concurrency: 32,
    observe: (event) => {
      if (event.kind !== "ended" || event.result === "postponed") return;
      ended += 1;
      if (event.result === "failed") failed += 1;
      if (ended % 500 === 0) io.err(`learned from ${ended} of ${expected}`);
    },
  });
  for (;;) {
    if ((await worker.tick()) > 0) continue;
    const { queued, running } = await service.queue.countAcrossTenants();
    if (queued + running === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  io.err(`learned from ${ended - failed}, failed ${failed}`);
  return failed;
}
