/** What must be done now and then: drop what has served its time, and act on what is proven by now. */
import type { Service } from "../service.ts";
import type { Logger } from "../telemetry/log.ts";

const EVERY_MS = 600_000;
const DAY_MS = 86_400_000;

export function startMaintenance(service: Service, log: Logger): { stop(): void } {
  const run = (): void => {
    maintain(service, log).catch((error: unknown) => log.error({ err: error }, "maintenance failed"));
  };
  run();
  const timer = setInterval(run, EVERY_MS);
  return { stop: () => clearInterval(timer) };
}

async function maintain(service: Service, log: Logger): Promise<void> {
  const { store, ledger, keys, clock, config } = service;
  const now = clock();
  await store.expire({ jobs: now - config.jobRetentionDays * DAY_MS, idempotency: now - DAY_MS });
  await ledger.expireAcrossTenants(now - config.exposureDays * DAY_MS);
  for (const { tenantId } of await keys.listTenants()) {
    for (const { insightId, decision, why } of await service.act(tenantId)) {
      log.warn({ insight_id: insightId, decision, why }, "acted on the proof");
    }
  }
  await service.maintain();
}
