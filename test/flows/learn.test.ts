/** From uploads to insights, through the front door. */
import { describe, expect, it } from "vitest";
import type { InsightKind } from "../../src/domain/insight.ts";
import { tell } from "../../src/domain/tell.ts";
import type { CountedInsight } from "../../src/ports/store.ts";
import { refund, type Run, uploadOf, water } from "../support/runs.ts";
import { startService, type TestService } from "../support/service.ts";

async function learnFrom(service: TestService, runs: readonly Run[]): Promise<void> {
  for (const run of runs) {
    expect((await service.call("POST", "/store_knowledge", { body: uploadOf(run) })).status).toBe(202);
    await service.workOff();
  }
}

async function learned(service: TestService, kind?: InsightKind): Promise<CountedInsight[]> {
  return service.service.store.listInsights(service.tenantId, { ...(kind && { kind }), limit: 1_000 });
}

const textOf = ({ insight: { structure }, ...counts }: CountedInsight) => tell({ structure, ...counts });

describe("runs that went well", () => {
  it("become one workflow, with what varies left open and every run counted", async () => {
    const service = await startService();
    await learnFrom(service, [refund(4411, { forgets: false }), refund(12, { forgets: false }), refund(900)]);
    const [workflow, ...others] = await learned(service, "workflow");
    expect(others).toEqual([]);
    expect(workflow).toMatchObject({ status: "active", support: { succeeded: 3, failed: 0 } });
    const steps = workflow?.insight.structure.kind === "workflow" ? workflow.insight.structure.steps : [];
    expect(steps.map(({ text }) => text)).toEqual(["get_order(id={1})", "refund(order={1}, reason={2})"]);
  });

  it("are known again in other words for other things", async () => {
    const service = await startService();
    await learnFrom(service, [water("rose", "flowerbed"), water("tomato", "greenhouse")]);
    const workflows = await learned(service, "workflow");
    expect(workflows).toHaveLength(1);
    expect(workflows[0]?.insight.appliesWhen).toBe("water the … in the …");
  });

  it("show where things are found, counted", async () => {
    const service = await startService();
    await learnFrom(service, [water("rose", "flowerbed"), water("tomato", "greenhouse")]);
    const facts = (await learned(service, "fact")).map(textOf);
    expect(facts).toContain("wateringcan found at: shed (2x)");
    expect(facts).toContain("fill with: tap (2x)");
  });

  it("tell how few turns it takes", async () => {
    const service = await startService();
    await learnFrom(service, [refund(1), refund(2, { forgets: false }), refund(3, { forgets: false })]);
    expect((await learned(service, "efficiency")).map(textOf)).toEqual([
      "the shortest success took 2 turns, the usual one 2 (seen in 3 runs)",
    ]);
  });
});

describe("errors", () => {
  it("become a pitfall, and the way out of them a recovery, without the values of one task", async () => {
    const service = await startService();
    await learnFrom(service, [refund(4411), refund(12)]);
    const [pitfall] = await learned(service, "pitfall");
    expect(pitfall).toMatchObject({
      insight: { structure: { step: "refund(order)" } },
      support: { succeeded: 2 },
    });
    const [recovery] = await learned(service, "recovery");
    expect(recovery).toMatchObject({
      status: "active",
      insight: { structure: { step: "refund(order)", fix: "add reason" } },
    });
  });

  it("are traced to their turns", async () => {
    const service = await startService();
    await learnFrom(service, [refund(4411)]);
    const [recovery] = await learned(service, "recovery");
    const found = await service.service.store.findInsight(
      service.tenantId,
      recovery?.insight.insightId ?? "",
    );
    expect(found?.evidence).toMatchObject([{ stance: "for", from: 1, to: 2 }]);
  });
});

describe("runs that failed", () => {
  it("speak against the plan they followed, and never become a plan", async () => {
    const service = await startService();
    const failed: Run = { ...refund(7, { forgets: false }), success: false };
    await learnFrom(service, [refund(1, { forgets: false }), failed]);
    expect(await learned(service, "workflow")).toMatchObject([
      { support: { succeeded: 1, failed: 0 }, against: 1 },
    ]);
    const alone = await startService();
    await learnFrom(alone, [failed]);
    expect(await learned(alone, "workflow")).toEqual([]);
  });

  it("show, beside those that did not, which step makes the difference", async () => {
    const service = await startService();
    const plants = ["rose", "tomato", "tulip", "basil", "mint", "fern"];
    const runs = plants.flatMap((plant) => [
      water(plant, "flowerbed"),
      water(plant, "flowerbed", { success: false }),
    ]);
    await learnFrom(service, runs);
    const steps = (await learned(service, "contrast")).map(({ insight: { structure } }) =>
      structure.kind === "contrast" ? structure.step : "",
    );
    expect(steps).toContain("fill object with");
  });

  it("of which nobody knows how they ended are counted as unknown", async () => {
    const service = await startService();
    await learnFrom(service, [{ ...refund(1), success: null }]);
    expect(await learned(service, "workflow")).toEqual([]);
    expect(await learned(service, "recovery")).toMatchObject([
      { unknown: 1, support: { succeeded: 0, failed: 0 } },
    ]);
  });
});

describe("learning", () => {
  it("makes the same insights of the same uploads, to the byte", async () => {
    const runs = [
      refund(1),
      water("rose", "flowerbed"),
      refund(2, { forgets: false }),
      water("fern", "greenhouse", { success: false }),
    ];
    const [first, second] = await Promise.all([startService(), startService()]);
    await learnFrom(first, runs);
    await learnFrom(second, runs);
    const essence = async (service: TestService) =>
      JSON.stringify(
        (await learned(service)).map(({ insight, support, against, values }) => ({
          insight,
          support,
          against,
          values,
        })),
      );
    expect(await essence(first)).toBe(await essence(second));
  });

  it("tells in the job's record what was created and what was reinforced", async () => {
    const service = await startService();
    await learnFrom(service, [refund(1)]);
    const { body } = await service.call("POST", "/store_knowledge", { body: uploadOf(refund(2)) });
    await service.workOff();
    const record = await service.call("GET", `/knowledge_status/${body.job_id}`);
    expect(record.body.insights.created).toBe(0);
    expect(record.body.insights.reinforced).toBeGreaterThan(0);
  });

  it("does not learn from its own advice when that comes back", async () => {
    const service = await startService();
    await learnFrom(service, [water("rose", "flowerbed"), water("tomato", "greenhouse")]);
    const before = (await learned(service)).length;
    const { body } = await service.call("POST", "/enhance_task", {
      body: { tenant_id: "key-a", input_text: "water the mint in the flowerbed" },
    });
    expect(body.response).toContain("fill wateringcan with tap");
    const echoed = { ...uploadOf(water("mint", "flowerbed")), query: body.response };
    await service.call("POST", "/store_knowledge", { body: echoed });
    await service.workOff();
    const after = await learned(service);
    expect(after.filter(({ insight }) => insight.kind === "workflow")).toHaveLength(1);
    expect(after.length - before).toBeLessThanOrEqual(2);
  });

  it("keeps at most two insights of one meaning however many runs there are", async () => {
    const service = await startService();
    const orders = Array.from({ length: 30 }, (_, i) =>
      refund(1_000 + i, { forgets: i % 3 === 0, success: i % 5 !== 0 }),
    );
    await learnFrom(service, orders);
    for (const kind of ["workflow", "recovery", "efficiency"] as const) {
      expect(await learned(service, kind)).toSatisfy((found: unknown[]) => found.length <= 2);
    }
  });

  it("stores no secret and no personal data", async () => {
    const service = await startService();
    const token = ["gh", "p_"].join("") + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
    await learnFrom(service, [
      {
        query: "notify ann@example.org",
        success: true,
        turns: [[`send(to="ann@example.org", auth="${token}")`, "sent"]],
      },
    ]);
    const everything = JSON.stringify(await learned(service));
    expect(everything).not.toContain(token);
    expect(everything).not.toContain("ann@example.org");
  });
});

describe("odd uploads", () => {
  const odd: Record<string, Run> = {
    "no turns": { query: "do nothing", success: true, turns: [] },
    "one turn without a result": { query: "say hello", success: true, turns: [["hello()", null]] },
    "an empty query": { query: "", success: false, turns: [["look()", "nothing"]] },
    "binary text": { query: "\u0000\u0001\ufffd\u200b", success: false, turns: [["\u0000\u0007", "\u0000"]] },
    "many languages": {
      query: "请预订 отель für zwei",
      success: true,
      turns: [["予約する(部屋=2)", "完了しました"]],
    },
    "a megabyte in one field": {
      query: "read the log",
      success: true,
      turns: [["cat app.log", "line of a log\n".repeat(75_000)]],
    },
  };

  it.each(Object.entries(odd))("%s: the job completes, and nothing is invented", async (_, run) => {
    const service = await startService();
    const { body } = await service.call("POST", "/store_knowledge", { body: uploadOf(run) });
    await service.workOff();
    expect((await service.call("GET", `/knowledge_status/${body.job_id}`)).body.status).toBe("completed");
    expect((await learned(service, "recovery")).length).toBe(0);
  });

  it("2,000 turns out of order and with the same numbers are learned from", async () => {
    const service = await startService();
    const turns = Array.from({ length: 2_000 }, (_, i) => ({
      turn: i % 7,
      inputs: "",
      decision: `check(item=${i})`,
      result: i % 100 === 0 ? "error: item is locked" : "ok",
    }));
    const body = { tenant_id: "key-a", query: "check all items", turns, success: true };
    const stored = await service.call("POST", "/store_knowledge", { body });
    await service.workOff();
    const record = await service.call("GET", `/knowledge_status/${stored.body.job_id}`);
    expect(record.body.status).toBe("completed");
    expect((await learned(service)).length).toBeLessThan(20);
  });
});
