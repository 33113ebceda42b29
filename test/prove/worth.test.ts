import { describe, expect, it, onTestFinished } from "vitest";
import { createWorth } from "../../src/prove/worth.ts";
import { openSqlite } from "../../src/stores/sqlite/sqlite.ts";
import { enhancementOf, outcomeOf } from "../contracts/ledger.ts";
import { temporaryFolder } from "../support/folder.ts";

async function started() {
  const { ledger, keys, store } = openSqlite({
    directory: temporaryFolder(),
    threaded: false,
    indexBytes: 1e9,
  });
  onTestFinished(() => store.close());
  await keys.createTenant("a", { name: "a", createdAt: 1 });
  let now = 1;
  let made = 0;
  const tell = async (insightId: string, shown: boolean, score: number, propensity = 0.5) => {
    const enhancementId = `e${made++}`;
    const counts = propensity < 1;
    const exposure = { insightId, kind: "fact", shown, propensity, counts, speaksForKind: counts };
    ledger.record("a", enhancementOf(enhancementId, { exposures: [exposure] }));
    await ledger.tell("a", enhancementId, outcomeOf(score));
  };
  return {
    ledger,
    tell,
    worthOf: createWorth({ ledger, clock: () => now }),
    pass: (ms: number) => (now += ms),
  };
}

describe("what insights are worth", () => {
  it("is nothing at first, and never waited for; later it is what was told", async () => {
    const { tell, worthOf, pass } = await started();
    expect(worthOf("a").utilityOf("good", "fact")).toEqual({ value: 0, basis: "nothing" });
    await new Promise(setImmediate);
    for (let i = 0; i < 20; i++) {
      await tell("good", true, 1);
      await tell("good", false, 0);
    }
    expect(worthOf("a").utilityOf("good", "fact").value).toBe(0);
    pass(30_001);
    worthOf("a");
    await expect.poll(() => worthOf("a").utilityOf("good", "fact").basis).toBe("randomised");
    expect(worthOf("a").utilityOf("good", "fact").value).toBeGreaterThan(0.1);
    expect(worthOf("a").utilityOf("unseen", "fact")).toMatchObject({ basis: "kind" });
    expect(worthOf("a").utilityOf("unseen", "pitfall")).toMatchObject({ value: 0, basis: "nothing" });
  });

  it("is taken from mere observation, less, and under its name, while nothing was drawn", async () => {
    const { tell, worthOf } = await started();
    for (let i = 0; i < 50; i++) {
      await tell("seen", true, 1, 1);
      await tell("other", true, 0, 1);
    }
    const worth = await worthOf.refreshed("a");
    expect(worth.utilityOf("seen", "fact").basis).toBe("observed");
    expect(worth.utilityOf("seen", "fact").value).toBeGreaterThan(0);
    expect(worth.utilityOf("seen", "fact").value).toBeLessThan(0.2);
    await tell("seen", true, 1);
    await tell("seen", false, 1);
    expect((await worthOf.refreshed("a")).utilityOf("seen", "fact").basis).toBe("randomised");
  });

  it("tells what the proof retired from what a person did", async () => {
    const { ledger, worthOf } = await started();
    await ledger.rule("a", { at: 7, insightId: "i", decision: "retire", why: "it harms" });
    const worth = await worthOf.refreshed("a");
    expect([worth.isOnTrial("i", 7), worth.isOnTrial("i", 8), worth.isOnTrial("j", 7)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
