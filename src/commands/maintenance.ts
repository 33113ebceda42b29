/** What must be done now and then: drop what has served its time. */
import type { Service } from "../service.ts";
import type { Logger } from "../telemetry/log.ts";

const EVERY_MS = 600_000;
const DAY_MS = 86_400_000;

export function startMaintenance({ store, clock, config, maintain }: Service, log: Logger): { stop(): void } {
  const run = (): void => {
    const now = clock();
    store
      .expire({ jobs: now - config.jobRetentionDays * DAY_MS, idempotency: now - DAY_MS })
      .then(maintain)
      .catch((error: unknown) => log.error({ err: error }, "maintenance failed"));
  };
  run();
  const timer = setInterval(run, EVERY_MS);
  return { stop: () => clearInterval(timer) };
}
