/** The flow that acts on the proof: what harms is retired, what was retired and helps comes back. */
import type { Ledger, StoredRuling } from "../ports/ledger.ts";
import type { Retirement, Store } from "../ports/store.ts";
import { type Arm, noOutcomes, type Stratum } from "./arms.ts";
import { decide, type Ruling, type Status } from "./retire.ts";
import { added, byKey, strataOf } from "./strata.ts";
import { retiredByProof } from "./worth.ts";

export interface ActParts {
  readonly ledger: Ledger;
  readonly store: Store;
  readonly clock: () => number;
}

/** Answers what it changed. Explicit and inferred outcomes decide together, each in strata of its own. */
export type Act = (tenantId: string) => Promise<StoredRuling[]>;

const MOST = 10_000;

export function createAct({ ledger, store, clock }: ActParts): Act {
  return async (tenantId) => {
    const cells = byKey(await ledger.cells(tenantId, { by: "insight" }));
    if (cells.size === 0) return [];
    const rulings = await ledger.rulings(tenantId, MOST);
    const byProof = retiredByProof(rulings);
    const retired = new Map(
      (await store.listInsights(tenantId, { status: "retired", limit: MOST })).map(
        ({ insight, retirement }) => [insight.insightId, retirement],
      ),
    );
    const changed: StoredRuling[] = [];
    for (const [insightId, all] of cells) {
      // a decision takes some of a millisecond: requests get their turn in between
      await new Promise(setImmediate);
      const retirement = retired.get(insightId) ?? null;
      // what a person retired stays retired
      if (retirement !== null && !byProof(insightId, retirement.at)) continue;
      const since = lastChange(insightId, rulings, retirement);
      const counted =
        since === null ? all : await ledger.cells(tenantId, { by: "insight", insightId, since: since + 1 });
      const status = retirement === null ? "active" : "retired";
      const strata = strataOf(counted);
      const ruling = decide(status, strata);
      if (ruling.decision === "keep") continue;
      const { decision } = ruling;
      const at = clock();
      const why = evidenceInWords(status, ruling, strata);
      // first noted, then done: whoever stops in between has only forgotten some evidence
      const stored = { at, insightId, decision, why };
      await ledger.rule(tenantId, stored);
      const done = await store.retire(tenantId, insightId, decision === "retire" ? { at, why } : null);
      if (done) changed.push(stored);
    }
    return changed;
  };
}

function lastChange(
  insightId: string,
  rulings: readonly StoredRuling[],
  retirement: Retirement | null,
): number | null {
  const ruled = rulings.find((ruling) => ruling.insightId === insightId);
  const times = [ruled?.at, retirement?.at].filter((time) => time !== undefined);
  return times.length === 0 ? null : Math.max(...times);
}

function evidenceInWords(status: Status, { bound, evidence }: Ruling, strata: readonly Stratum[]): string {
  const shown = strata.reduce<Arm>((sum, one) => added(sum, one.shown), noOutcomes);
  const leftOut = strata.reduce<Arm>((sum, one) => added(sum, one.heldOut), noOutcomes);
  const points = Math.round(bound * 1000) / 10;
  const verdict =
    status === "active"
      ? `it costs at least ${-points} points of success`
      : `it is worth at least ${points} points of success by now`;
  return (
    `${verdict}: shown in ${shown.n} tasks of which ${percent(shown)} succeeded, ` +
    `left out by lot in ${leftOut.n} of which ${percent(leftOut)} did (evidence ${Math.round(evidence)} to 1)`
  );
}

function percent({ n, sum }: Arm): string {
  return n === 0 ? "none" : `${Math.round((100 * sum) / n)}%`;
}
