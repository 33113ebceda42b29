import { openService } from "../service.ts";
import { createLogger } from "../telemetry/log.ts";
import { newIdentity } from "../worker/identity.ts";
import { createWorker } from "../worker/worker.ts";
import type { Command } from "./command.ts";
import { readOptions } from "./options.ts";
import { report } from "./supervise.ts";

export const worker: Command = {
  usage: "worker",
  summary: "Only learn: a process of its own beside `serve --no-worker`.",
  async run(words, io) {
    readOptions(words, {});
    const config = io.config();
    const log = createLogger(config.logLevel);
    const service = await openService(config, { serving: false, warn: (sentence) => log.warn(sentence) });
    const stop = new AbortController();
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stop.abort());
    log.info("working");
    const learning = createWorker({
      ...service,
      name: newIdentity(),
      concurrency: config.concurrency,
      observe: (event) => report(event, null, log),
    });
    service.onWake(() => learning.wake());
    await learning.run(stop.signal);
    await service.close();
    log.info("stopped");
    return 0;
  },
};
