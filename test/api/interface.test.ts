/** The five operations through the front door. */
import { describe, expect, it } from "vitest";
import { startService, type TestService, upload } from "../support/service.ts";

async function store(service: TestService, body: Record<string, unknown>, key = "key-a"): Promise<string> {
  const stored = await service.call("POST", "/store_knowledge", { key, body });
  expect(stored.status).toBe(202);
  return stored.body.job_id as string;
}

describe("GET /", () => {
  it("says that the service is there", async () => {
    const { call } = await startService();
    expect(await call("GET", "/")).toMatchObject({
      status: 200,
      body: { status: "ok", service: "whetstone", version: "1.0.0" },
    });
  });
});

describe("POST /store_knowledge", () => {
  it("acknowledges with strings, among them the job's id and the tenant as it was sent", async () => {
    const { call } = await startService();
    const { status, body, headers } = await call("POST", "/store_knowledge", {
      body: upload("plan the standup"),
    });
    expect(status).toBe(202);
    expect(body).toMatchObject({ status: "accepted", tenant_id: "key-a" });
    expect(Object.values(body).every((value) => typeof value === "string")).toBe(true);
    expect(headers.get("location")).toBe(`/knowledge_status/${body.job_id}`);
  });

  it("refuses a tenant that is not the caller's, before anything is written", async () => {
    const { call, service } = await startService();
    const refused = await call("POST", "/store_knowledge", {
      key: "key-b",
      body: upload("plan the standup"),
    });
    expect(refused).toMatchObject({ status: 403, body: { detail: "tenant_id does not match the API key" } });
    expect((await service.queue.countAcrossTenants()).queued).toBe(0);
  });

  it("takes the tenant's own id and any other live key of it for the tenant", async () => {
    const { call, service, tenantId } = await startService();
    await service.keys.issue(tenantId, {
      keyId: "second",
      hash: service.vault.hashKey("second-key"),
      lastFour: "",
      label: "",
      createdAt: 1,
    });
    expect(
      (await call("POST", "/store_knowledge", { body: upload("x", { tenant_id: tenantId }) })).status,
    ).toBe(202);
    expect(
      (await call("POST", "/store_knowledge", { body: upload("x", { tenant_id: "second-key" }) })).status,
    ).toBe(202);
    expect((await call("POST", "/store_knowledge", { key: "second-key", body: upload("x") })).status).toBe(
      202,
    );
  });

  it("replays the first answer to the same Idempotency-Key and body, and refuses another body", async () => {
    const { call, service } = await startService();
    const headers = { "idempotency-key": "once" };
    const first = await call("POST", "/store_knowledge", { body: upload("plan"), headers });
    const again = await call("POST", "/store_knowledge", { body: upload("plan"), headers });
    expect(again).toMatchObject({ status: 202, body: first.body });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect((await call("POST", "/store_knowledge", { body: upload("other"), headers })).status).toBe(422);
    expect((await service.queue.countAcrossTenants()).queued).toBe(1);
  });

  it("makes one job of concurrent requests with one Idempotency-Key", async () => {
    const { call, service } = await startService();
    const headers = { "idempotency-key": "race" };
    const calls = await Promise.all(
      Array.from({ length: 10 }, () => call("POST", "/store_knowledge", { body: upload("plan"), headers })),
    );
    expect(calls.every(({ status }) => status === 202 || status === 409)).toBe(true);
    expect((await service.queue.countAcrossTenants()).queued).toBe(1);
  });

  it("refuses an Idempotency-Key of more than 255 characters", async () => {
    const { call } = await startService();
    const headers = { "idempotency-key": "k".repeat(256) };
    expect((await call("POST", "/store_knowledge", { body: upload("plan"), headers })).status).toBe(422);
  });
});

describe("GET /knowledge_status/{job_id}", () => {
  const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/;

  it("goes from processing to completed", async () => {
    const service = await startService();
    const id = await store(service, upload("plan the standup"));
    const before = await service.call("GET", `/knowledge_status/${id}`);
    expect(before.body).toMatchObject({ status: "processing", created_at: expect.stringMatching(TIME) });
    await service.workOff();
    const after = await service.call("GET", `/knowledge_status/${id}`);
    expect(after).toMatchObject({
      status: 200,
      body: {
        status: "completed",
        created_at: expect.stringMatching(TIME),
        started_at: expect.stringMatching(TIME),
        completed_at: expect.stringMatching(TIME),
        insights: { created: expect.any(Number), reinforced: 0, skipped: 0 },
      },
    });
  });

  it("tells a failed job flat and under its id, and leaks nothing of the error", async () => {
    const service = await startService();
    const id = await store(service, upload("plan"));
    const { tenantId } = service;
    const [job] = await service.service.queue.claimAcrossTenants({
      worker: "w",
      now: Date.now(),
      leaseUntil: Date.now() + 9e4,
      limit: 1,
    });
    const sealedError = service.service.vault.sealError(id, "secret detail of ours");
    await service.service.queue.fail(tenantId, job?.fence ?? { jobId: "", attempt: 0 }, {
      at: Date.now(),
      sealedError,
    });
    const { status, body } = await service.call("GET", `/knowledge_status/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "failed",
      failed_at: expect.stringMatching(TIME),
      error_message: sealedError,
    });
    expect(body.note).toContain("error_message and job_id");
    const { [id]: nested, ...flat } = body;
    expect(nested).toEqual(flat);
    expect(JSON.stringify(body)).not.toContain("secret detail");
  });

  it("answers for a foreign job byte for byte as for an unknown one", async () => {
    const service = await startService();
    const id = await store(service, upload("plan"));
    const foreign = await service.call("GET", `/knowledge_status/${id}`, { key: "key-b" });
    const unknown = await service.call("GET", "/knowledge_status/nothing");
    expect(foreign).toMatchObject({ status: 404, body: { detail: "Job not found" } });
    expect(foreign.body).toEqual(unknown.body);
  });
});

describe("POST /enhance_task", () => {
  const ask = (text: string, key = "key-a") => ({ key, body: { tenant_id: key, input_text: text } });

  it("gives the input back unchanged, and says why, when nothing is known", async () => {
    const { call } = await startService();
    const { status, body } = await call("POST", "/enhance_task", ask("plan the standup"));
    expect(status).toBe(200);
    expect(body.response).toBe("plan the standup");
    expect(body.metadata).toMatchObject({
      recommendations: [],
      abstained: expect.any(String),
      held_out: false,
    });
    expect(body.metadata.enhancement_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("adds what worked in a run like it, with where that is known from", async () => {
    const service = await startService();
    const id = await store(service, upload("plan the standup meeting"));
    await service.workOff();
    const { body } = await service.call("POST", "/enhance_task", ask("plan a standup meeting"));
    expect(body.response.startsWith("plan a standup meeting\n")).toBe(true);
    expect(body.response).toContain("create_event");
    expect(body.metadata.abstained).toBeNull();
    expect(body.metadata.recommendations).toMatchObject([
      { kind: "workflow", support: { succeeded: 1, failed: 0 }, sources: [id] },
    ]);
  });

  it("says nothing about an unrelated task", async () => {
    const service = await startService();
    await store(service, upload("plan the standup meeting"));
    await service.workOff();
    const { body } = await service.call("POST", "/enhance_task", ask("translate this poem into Finnish"));
    expect(body.response).toBe("translate this poem into Finnish");
  });

  it("never shows one tenant what another has learned", async () => {
    const service = await startService();
    await store(service, upload("plan the standup meeting"));
    await service.workOff();
    const { body } = await service.call("POST", "/enhance_task", ask("plan the standup meeting", "key-b"));
    expect(body.metadata.recommendations).toEqual([]);
  });
});

describe("POST /delete_by_intent", () => {
  const target = (intent: string, more = "") =>
    `/delete_by_intent?tenant_id=key-a&intent=${encodeURIComponent(intent)}${more}`;

  it("deletes what has the same intent and nothing else, and counts it", async () => {
    const service = await startService();
    await store(service, upload("plan the standup meeting"));
    await store(service, upload("Plan the standup meeting!"));
    await store(service, upload("translate a poem into Finnish"));
    await service.workOff();
    const { status, body } = await service.call("POST", target("plan the standup meeting"));
    expect(status).toBe(200);
    expect(body.deleted_count).toBe(2);
    expect(body.status).toEqual(expect.any(String));
    const asked = { body: { tenant_id: "key-a", input_text: "plan the standup meeting" } };
    expect((await service.call("POST", "/enhance_task", asked)).body.metadata.recommendations).toEqual([]);
    expect((await service.call("POST", target("plan the standup meeting"))).body.deleted_count).toBe(0);
  });

  it("deletes uploads that are still queued, too", async () => {
    const service = await startService();
    const id = await store(service, upload("plan the standup meeting"));
    expect((await service.call("POST", target("plan the standup meeting"))).body.deleted_count).toBe(1);
    await service.workOff();
    expect((await service.call("GET", `/knowledge_status/${id}`)).body.status).toBe("completed");
    expect(
      (await service.call("POST", target("plan the standup meeting", "&similarity_threshold=0"))).body
        .deleted_count,
    ).toBe(0);
  });

  it("deletes everything at 0 and nothing at NaN", async () => {
    const service = await startService();
    await store(service, upload("plan the standup meeting"));
    await store(service, upload("translate a poem"));
    await service.workOff();
    expect((await service.call("POST", target("x", "&similarity_threshold=nan"))).body.deleted_count).toBe(0);
    expect((await service.call("POST", target("x", "&similarity_threshold=0"))).body.deleted_count).toBe(2);
  });

  it("shows what would go and deletes nothing on a dry run", async () => {
    const service = await startService();
    const id = await store(service, upload("plan the standup meeting"));
    await service.workOff();
    const { body } = await service.call("POST", target("plan the standup meeting", "&dry_run=true"));
    expect(body).toMatchObject({
      deleted_count: 0,
      matches: [{ job_id: id, intent: "plan the standup meeting", similarity: 1 }],
    });
    expect((await service.call("POST", target("plan the standup meeting"))).body.deleted_count).toBe(1);
  });

  it("leaves other tenants alone", async () => {
    const service = await startService();
    await store(service, upload("plan the standup meeting", { tenant_id: "key-b" }), "key-b");
    await service.workOff();
    expect(
      (await service.call("POST", target("plan the standup meeting", "&similarity_threshold=0"))).body
        .deleted_count,
    ).toBe(0);
    expect((await service.call("POST", "/delete_by_intent?tenant_id=key-b&intent=x")).status).toBe(403);
  });
});
