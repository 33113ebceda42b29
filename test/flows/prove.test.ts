/** From what was shown to what it is worth, through the front door. */
import { describe, expect, it } from "vitest";
import { report } from "../../src/commands/report.ts";
import { readConfig } from "../../src/config.ts";
import { assign } from "../../src/prove/assign.ts";
import { refund, uploadOf } from "../support/runs.ts";
import { type Called, startService, type TestOptions, type TestService } from "../support/service.ts";

interface Enhanced {
  readonly response: string;
  readonly metadata: {
    readonly enhancement_id: string;
    readonly recommendations: readonly { readonly id: string; readonly kind: string }[];
    readonly abstained: string | null;
    readonly held_out: boolean;
  };
}

async function taught(options: TestOptions = {}): Promise<TestService> {
  const service = await startService(options);
  for (const order of [11, 12, 13]) {
    await service.call("POST", "/store_knowledge", { body: uploadOf(refund(order)) });
    await service.workOff();
  }
  return service;
}

async function enhance(service: TestService, text = "refund order 99", more: object = {}): Promise<Enhanced> {
  const body = { tenant_id: "key-a", input_text: text, agent_type: "helpdesk", ...more };
  const { status, body: said } = await service.call("POST", "/enhance_task", { body });
  expect(status).toBe(200);
  return said as Enhanced;
}

const feedback = (service: TestService, body: object, key = "key-a"): Promise<Called> =>
  service.call("POST", "/feedback", { key, body });

async function uplift(service: TestService, key = "key-a") {
  return (await service.call("GET", "/uplift", { key })).body;
}

const holdout = (share: string, leaveOut = "0") => ({
  environment: { WHETSTONE_HOLDOUT: share, WHETSTONE_LEAVE_OUT: leaveOut },
});

describe("an enhancement's outcome", () => {
  it("comes with the upload that names it, and shows in the uplift", async () => {
    const service = await taught(holdout("0.5"));
    const { metadata } = await enhance(service);
    const body = {
      ...uploadOf(refund(99)),
      success: true,
      metadata: { enhancement_id: metadata.enhancement_id },
    };
    await service.call("POST", "/store_knowledge", { body });
    await service.workOff();
    const { overall, by_agent_type: agents, by_family: families } = await uplift(service);
    const arm = metadata.held_out ? "held_out" : "shown";
    expect(overall.explicit).toMatchObject({ shown: 0, held_out: 0, [arm]: 1, words: "not known yet" });
    expect(overall.inferred).toMatchObject({ shown: 0, held_out: 0 });
    expect(overall.steps_saved.explicit).toMatchObject({ [arm]: 1, saved: null });
    expect(agents).toMatchObject([{ agent_type: "helpdesk", explicit: { [arm]: 1 } }]);
    expect(families).toMatchObject([{ applies_when: expect.stringContaining("refund order") }]);
  });

  it("is inferred from the same request within the hour, and kept apart", async () => {
    let now = 1_800_000_000_000;
    const service = await taught({ ...holdout("0.5"), clock: () => now });
    const { response } = await enhance(service);
    now += 3_000_000;
    await service.call("POST", "/store_knowledge", { body: { ...uploadOf(refund(99)), query: response } });
    await service.workOff();
    const { overall } = await uplift(service);
    expect(overall.inferred.shown + overall.inferred.held_out).toBe(1);
    expect(overall.explicit.shown + overall.explicit.held_out).toBe(0);
    await enhance(service);
    now += 3_600_001;
    await service.call("POST", "/store_knowledge", { body: uploadOf(refund(99)) });
    await service.workOff();
    const later = (await uplift(service)).overall.inferred;
    expect(later.shown + later.held_out).toBe(1);
  });

  it("is not told by an upload that does not know how it ended", async () => {
    const service = await taught(holdout("0.5"));
    const { metadata } = await enhance(service);
    const body = {
      ...uploadOf(refund(99)),
      success: null,
      metadata: { enhancement_id: metadata.enhancement_id },
    };
    await service.call("POST", "/store_knowledge", { body });
    await service.workOff();
    const { overall } = await uplift(service);
    expect(overall.explicit.shown + overall.explicit.held_out).toBe(0);
  });

  it("can be told by feedback; the last one counts, once", async () => {
    const service = await taught(holdout("0.5"));
    const { enhancement_id } = (await enhance(service)).metadata;
    const told = async (more: object) => (await feedback(service, { enhancement_id, ...more })).body.status;
    expect(await told({ success: "yes" })).toBe("recorded");
    expect(await told({ success: true })).toBe("known already");
    expect(await told({ score: 0.25, note: "half done, ask jo@example.com" })).toBe(
      "replaced an earlier outcome",
    );
    const { overall } = await uplift(service);
    expect(overall.explicit.shown + overall.explicit.held_out).toBe(1);
    const [note] = await service.service.ledger.notes(service.tenantId, 9);
    expect(note).toMatchObject({ score: 0.25, note: expect.not.stringContaining("jo@example.com") });
  });
});

describe("an enhancement that is not known", () => {
  it("is the same 404 to feedback, be it another tenant's, expired or none", async () => {
    const service = await taught();
    const { enhancement_id } = (await enhance(service)).metadata;
    const foreign = await feedback(service, { enhancement_id, success: true }, "key-b");
    const none = await feedback(service, { enhancement_id: "none", success: true }, "key-b");
    expect(foreign).toMatchObject({ status: 404, body: { detail: "Enhancement not found" } });
    expect({ ...foreign, headers: null }).toEqual({ ...none, headers: null });
    await service.service.ledger.expireAcrossTenants(Date.now() + 1);
    expect((await feedback(service, { enhancement_id, success: true })).status).toBe(404);
  });

  it("is no error to an upload, only a note in its record", async () => {
    const service = await taught();
    for (const enhancement_id of ["none", 7]) {
      const body = { ...uploadOf(refund(55)), metadata: { enhancement_id } };
      const { body: accepted } = await service.call("POST", "/store_knowledge", { body });
      await service.workOff();
      const { body: record } = await service.call("GET", `/knowledge_status/${accepted.job_id}`);
      expect(record).toMatchObject({
        status: "completed",
        message: expect.stringContaining("metadata.enhancement_id is not known"),
      });
    }
  });

  it("is told apart from feedback that says nothing, or nonsense", async () => {
    const service = await startService();
    const problems = async (more: object) => {
      const { status, body } = await feedback(service, { enhancement_id: "e", ...more });
      return [status, body.detail[0].type, body.detail[0].loc.join(".")];
    };
    expect(await problems({})).toEqual([422, "value_error", "body"]);
    expect(await problems({ success: null, note: "?" })).toEqual([422, "value_error", "body"]);
    expect(await problems({ score: 1.5 })).toEqual([422, "less_than_equal", "body.score"]);
    expect(await problems({ score: -1 })).toEqual([422, "greater_than_equal", "body.score"]);
    expect(await problems({ score: "nan" })).toEqual([422, "greater_than_equal", "body.score"]);
    expect(await problems({ success: "perhaps" })).toEqual([422, "bool_parsing", "body.success"]);
  });
});

describe("the holdout", () => {
  it("is off unless it is set", async () => {
    const service = await taught();
    for (let i = 0; i < 10; i++) {
      const { metadata } = await enhance(service);
      expect(metadata.held_out).toBe(false);
      expect(metadata.recommendations.length).toBeGreaterThan(0);
    }
  });

  it("gives the input back unchanged, says so, and can be drawn again from the id", async () => {
    const service = await taught(holdout("0.5", "0.5"));
    const seen = new Set<boolean>();
    for (let i = 0; i < 40; i++) {
      const { response, metadata } = await enhance(service);
      seen.add(metadata.held_out);
      expect(assign(metadata.enhancement_id, 0.5, []).heldOut).toBe(metadata.held_out);
      for (const { id } of metadata.recommendations) {
        const candidates = [{ insightId: id, leaveOut: 0.5 }];
        expect(assign(metadata.enhancement_id, 0.5, candidates).insights).toMatchObject([{ shown: true }]);
      }
      if (!metadata.held_out) continue;
      expect(response).toBe("refund order 99");
      expect(metadata).toMatchObject({ recommendations: [], abstained: null });
    }
    expect(seen).toEqual(new Set([true, false]));
  });

  it("may be a tenant's own", async () => {
    const service = await taught(holdout("0"));
    await service.service.keys.setTenant(service.tenantId, { holdout: 1 });
    expect((await enhance(service)).metadata.held_out).toBe(true);
  });

  it("holds nothing out, and counts nothing, where there is nothing to show", async () => {
    const service = await taught(holdout("1"));
    const { metadata } = await enhance(service, "what is the weather on the moon");
    expect(metadata).toMatchObject({ held_out: false, recommendations: [] });
    expect(metadata.abstained).not.toBeNull();
    const { enhancement_id } = metadata;
    expect((await feedback(service, { enhancement_id, success: true })).status).toBe(200);
    const { overall, by_insight: insights } = await uplift(service);
    expect([overall.explicit.shown, overall.explicit.held_out, insights]).toEqual([0, 0, []]);
  });
});

async function reportOf({ dataDir, tenantId }: TestService, ...more: string[]): Promise<string> {
  const lines: string[] = [];
  const code = await report.run(["--tenant", tenantId, ...more], {
    config: () => readConfig({ WHETSTONE_DATA_DIR: dataDir, WHETSTONE_EMBEDDER: "lexical" }),
    environment: {},
    out: (line) => void lines.push(line),
    err: (line) => void lines.push(line),
  });
  expect(code).toBe(0);
  return lines.join("\n");
}

describe("the report", () => {
  it("claims nothing while nothing is known", async () => {
    const page = await reportOf(await startService());
    expect(page).toContain("success: not known yet (0 outcomes with, 0 without)");
    expect(page).toMatch(/Coverage\n {2}nothing yet/);
    expect(page).not.toMatch(/helps|harms:/);
  });

  it("tells how many were advised, held out, and left without anything to say", async () => {
    const service = await taught();
    await service.service.keys.setTenant(service.tenantId, { holdout: 1 });
    await enhance(service);
    await service.service.keys.setTenant(service.tenantId, {});
    const { enhancement_id } = (await enhance(service)).metadata;
    await enhance(service, "what is the weather on the moon");
    await feedback(service, { enhancement_id, success: false, note: "wrong form" });
    const page = await reportOf(service);
    expect(page).toContain("advised: 1 (33%)");
    expect(page).toContain("held out by lot: 1 (33%)");
    expect(page).toContain("abstained, with nothing to say: 1 (33%)");
    expect(page).toContain("scored 0: wrong form");
    expect(JSON.parse(await reportOf(service, "--json"))).toMatchObject({
      overall: { explicit: { words: "not known yet" }, cost_of_holding_out: { held_out: 1 } },
      rulings: [],
    });
  });
});

describe("proof", () => {
  /** The same every time, but for the lots, which come from random ids; the effects are large enough for any. */
  function seeded(seed: number): () => number {
    let state = seed;
    return () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
  }

  it(
    "finds a true difference in a stream of tasks, and no more than there is",
    { timeout: 60_000 },
    async () => {
      const service = await taught(holdout("0.5"));
      const random = seeded(3);
      for (let i = 0; i < 400; i++) {
        const { metadata } = await enhance(service);
        const success = random() < (metadata.held_out ? 0.4 : 0.8);
        await feedback(service, { enhancement_id: metadata.enhancement_id, success });
      }
      const { explicit, cost_of_holding_out: cost } = (await uplift(service)).overall;
      expect(explicit).toMatchObject({ verdict: "helps", arms_fit_their_shares: true });
      expect(explicit.shown + explicit.held_out).toBe(400);
      expect(Math.abs(explicit.difference - 0.4)).toBeLessThan(0.25);
      expect(explicit.lower).toBeLessThan(explicit.difference);
      expect(explicit.upper).toBeGreaterThan(explicit.difference);
      expect(cost).toMatchObject({ basis: "explicit", held_out: explicit.held_out });
    },
  );

  it("retires what harms, and brings it back when it helps", { timeout: 120_000 }, async () => {
    let now = 1_800_000_000_000;
    const service = await taught({ ...holdout("0.1", "0.4"), clock: () => (now += 10) });
    const { tenantId } = service;
    const { store, act } = service.service;
    const [plan] = await store.listInsights(tenantId, { kind: "workflow", limit: 1 });
    const planId = plan?.insight.insightId ?? "";
    const random = seeded(7);

    async function tasks(n: number, rate: (shown: boolean) => number): Promise<number> {
      let shown = 0;
      for (let i = 0; i < n; i++) {
        const { metadata } = await enhance(service);
        const isShown = metadata.recommendations.some(({ id }) => id === planId);
        shown += Number(isShown);
        const success = random() < rate(isShown);
        await feedback(service, { enhancement_id: metadata.enhancement_id, success });
      }
      return shown;
    }

    await tasks(150, (shown) => (shown ? 0.1 : 0.9));
    expect(await act(tenantId)).toMatchObject([{ insightId: planId, decision: "retire" }]);
    const [retired] = await store.listInsights(tenantId, { status: "retired", limit: 9 });
    expect(retired).toMatchObject({ insight: { insightId: planId } });
    expect(retired?.retirement?.why).toMatch(
      /^it costs at least \d+.* points of success: shown in \d+ tasks/,
    );
    expect(await act(tenantId)).toEqual([]);
    const page = await reportOf(service);
    expect(page).toMatch(/Insights that harm most\n  \S+ {2}workflow, retired .* harms: -\d+/);
    expect(page).toMatch(/Retired and restored\n.* was retired: it costs at least/);
    const { by_insight: insights } = await uplift(service);
    expect(insights.find((one: { insight_id: string }) => one.insight_id === planId)).toMatchObject({
      kind: "workflow",
      status: "retired",
      explicit: { verdict: "harms" },
    });

    now += 60_000;
    await tasks(1, () => 0.5);
    const shown = await tasks(500, (isShown) => (isShown ? 0.98 : 0.1));
    expect(shown).toBeLessThan(100);
    expect(await act(tenantId)).toMatchObject([{ insightId: planId, decision: "restore" }]);
    expect(await store.listInsights(tenantId, { status: "retired", limit: 9 })).toEqual([]);
    expect(await act(tenantId)).toEqual([]);
  });

  it("leaves alone what a person retired", async () => {
    const service = await taught(holdout("0.5"));
    const [plan] = await service.service.store.listInsights(service.tenantId, { kind: "workflow", limit: 1 });
    const planId = plan?.insight.insightId ?? "";
    await service.service.store.retire(service.tenantId, planId, { at: 5, why: "by hand" });
    for (let i = 0; i < 60; i++) {
      const { metadata } = await enhance(service);
      expect(metadata.recommendations.map(({ id }) => id)).not.toContain(planId);
    }
    expect(await service.service.act(service.tenantId)).toEqual([]);
  });
});
