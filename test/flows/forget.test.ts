/** Deleting while learning goes on. */
import { expect, it } from "vitest";
import { createForget } from "../../src/forget/forget.ts";
import { createUploadedIntent } from "../../src/learn/uploaded-intent.ts";
import type { Queue } from "../../src/ports/queue.ts";
import { startService, upload } from "../support/service.ts";

it("finds an upload that is learned from while the deletion looks for it", async () => {
  const test = await startService();
  const { service, tenantId } = test;
  await test.call("POST", "/store_knowledge", { body: upload("plan the standup meeting") });
  let walked = 0;
  // the job ends just after the queue was looked through
  const queue: Queue = {
    ...service.queue,
    async *pending(tenant) {
      walked += 1;
      const chunks = [];
      for await (const chunk of service.queue.pending(tenant)) chunks.push(chunk);
      if (walked === 1) await test.workOff();
      yield* chunks;
    },
  };
  const forget = createForget({ ...service, queue, intentOfUpload: createUploadedIntent(service) });
  const { forgotten } = await forget({
    tenantId,
    intent: "plan the standup meeting",
    threshold: 0.5,
    dryRun: false,
  });
  expect(forgotten.episodes + forgotten.uploads).toBe(1);
  expect(await service.store.listInsights(tenantId, { limit: 10 })).toEqual([]);
});
