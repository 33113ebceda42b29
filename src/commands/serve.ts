import { unknownSettings } from "../config.ts";
import { isGuessable } from "../domain/api-key.ts";
import { createApp } from "../http/app.ts";
import type { RequestLimits } from "../http/reading/limits.ts";
import { startMetricsServer } from "../http/metrics-server.ts";
import { startServer } from "../http/server.ts";
import { openService, type Service } from "../service.ts";
import { createLogger, type Logger } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import type { Command, Io } from "./command.ts";
import { ensureKey, issueKey, newTenant } from "./issue-key.ts";
import { startMaintenance } from "./maintenance.ts";
import { readOptions } from "./options.ts";
import { superviseWorker, type SupervisedWorker } from "./supervise.ts";

/** From the signal to the exit; Kubernetes kills after 30 s. */
const SHUTDOWN_MS = 25_000;

export const serve: Command = {
  usage: "serve [--no-worker]",
  summary: "Serve the interface, and learn in the background.",
  async run(words, io) {
    const { values } = readOptions(words, { "no-worker": { type: "boolean" } });
    const config = io.config();
    const log = createLogger(config.logLevel);
    for (const name of unknownSettings(io.environment)) log.warn(`unknown setting ${name} is ignored`);
    const work: { wake: () => void } = { wake: () => {} };
    const service = await openService(config, {
      serving: true,
      wake: () => work.wake(),
      warn: (sentence) => log.warn(sentence),
    });
    try {
      const running = await listen(service, { io, log, work, learning: !values["no-worker"] });
      log.info({ signal: await nextSignal() }, "draining");
      await drain(running, log);
    } finally {
      await service.close();
    }
    log.info("stopped");
    return 0;
  },
};

interface Serving {
  readonly io: Io;
  readonly log: Logger;
  /** Where accepted uploads knock. */
  readonly work: { wake: () => void };
  readonly learning: boolean;
}

/** Everything that runs until the signal comes. */
async function listen(service: Service, { io, log, work, learning }: Serving) {
  const { config } = service;
  const metrics = createMetrics(() => service.queue.countAcrossTenants());
  const state: { draining: boolean; worker: SupervisedWorker | null } = { draining: false, worker: null };
  const limits = limitsOf(service);
  const app = createApp({
    ...service,
    limits,
    metrics,
    metricsHere: config.metricsPort === null,
    health: () => health(service, state),
    enhanced: metrics.enhanced,
    log,
    rateLimit: config.rateLimit,
    badKeyLimit: config.badKeyLimit,
  });
  const server = await startServer({ app, limits, trustedProxies: config.trustedProxies }, config);
  await prepareKeys(service, server.port, io, log);
  const metricsServer =
    config.metricsPort === null
      ? null
      : await startMetricsServer(metrics, { port: config.metricsPort, host: config.host });
  if (learning) state.worker = superviseWorker({ service, metrics, log });
  work.wake = () => state.worker?.wake();
  const maintenance = startMaintenance(service, log);
  log.info({ host: config.host, port: server.port, metrics_port: metricsServer?.port ?? null }, "serving");
  return { state, server, metricsServer, maintenance };
}

/** Not ready at once; then what is under way may end, within the time that is left. */
async function drain(
  { state, server, metricsServer, maintenance }: Awaited<ReturnType<typeof listen>>,
  log: Logger,
): Promise<void> {
  state.draining = true;
  const late = setTimeout(() => {
    log.error("not drained in time, leaving; uploads are safe on disk");
    process.exit(1);
  }, SHUTDOWN_MS);
  late.unref();
  maintenance.stop();
  await Promise.all([server.drain(), metricsServer?.drain(), state.worker?.stop()]);
  clearTimeout(late);
}

function limitsOf({ config }: Service): RequestLimits {
  return {
    bodyBytes: config.bodyLimit,
    nesting: config.nestingLimit,
    jsonValues: config.valueLimit,
    turns: config.turnLimit,
    queryBytes: config.queryLimit,
  };
}

async function health(service: Service, state: { draining: boolean; worker: SupervisedWorker | null }) {
  const database = await service.store.ping().then(
    () => null,
    () => "the database does not answer",
  );
  return {
    shutdown: state.draining ? "shutting down" : null,
    database,
    worker: state.worker?.trouble() ?? null,
  };
}

async function prepareKeys(service: Service, port: number, io: Io, log: Logger): Promise<void> {
  for (const literal of service.config.bootstrapKeys) {
    if (isGuessable(literal)) log.warn("a key of WHETSTONE_BOOTSTRAP_KEYS is short enough to be guessed");
    await ensureKey(service, literal);
  }
  if ((await service.keys.listTenants()).length > 0) return;
  const key = await issueKey(service, await newTenant(service, "first"), "first");
  const { host } = service.config;
  io.err(
    [
      "",
      "No key was there yet, so one was made. It is shown this once:",
      "",
      `  ${key}`,
      "",
      "Try it:",
      "",
      `  curl -s http://${host}:${port}/enhance_task -H 'x-api-key: ${key}' -H 'content-type: application/json' \\`,
      `    -d '{"tenant_id": "${key}", "input_text": "book a table for two"}'`,
      "",
    ].join("\n"),
  );
}

function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    // kept: a second signal must not cut the draining short
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => resolve(signal));
  });
}
