/** What a tenant's insights are worth in ranking, kept for a while: asking must not cost an enhancement anything. */
import type { Cell, Ledger, StoredRuling } from "../ports/ledger.ts";
import { type Arm, difference, isRandomised, noOutcomes } from "./arms.ts";
import { added, byKey, strataOf } from "./strata.ts";
import { kindPrior, type KindPrior, utility, type Utility } from "./utility.ts";

export interface Worth {
  utilityOf(insightId: string, kind: string): Utility;
  /** Retired at this moment by the proof, not by a person: it may be shown now and then. */
  isOnTrial(insightId: string, retiredAt: number): boolean;
}

export interface WorthOf {
  /** What was known a while ago, or nothing yet; never waits. */
  (tenantId: string): Worth;
  /** What is known now. */
  refreshed(tenantId: string): Promise<Worth>;
}

const FRESH_MS = 30_000;
/** Counting takes a hundredth of the time at most: a ledger that takes a second to count is counted every 100 s. */
const REST = 100;
const MOST_TENANTS = 1_000;
const MOST_RULINGS = 10_000;

const UNKNOWN: Worth = {
  utilityOf: () => ({ value: 0, basis: "nothing" }),
  isOnTrial: () => false,
};

interface Kept {
  readonly worth: Worth;
  readonly until: number;
}

export function createWorth({ ledger, clock }: { ledger: Ledger; clock: () => number }): WorthOf {
  const kept = new Map<string, Kept>();

  const keep = (tenantId: string, worth: Worth, took = 0): Worth => {
    kept.delete(tenantId);
    kept.set(tenantId, { worth, until: clock() + Math.max(FRESH_MS, REST * took) });
    const [oldest] = kept.keys();
    if (kept.size > MOST_TENANTS && oldest !== undefined) kept.delete(oldest);
    return worth;
  };
  const refreshed = async (tenantId: string) => {
    const begun = performance.now();
    const worth = await readWorth(ledger, tenantId);
    return keep(tenantId, worth, performance.now() - begun);
  };

  const worthOf = (tenantId: string): Worth => {
    const known = kept.get(tenantId);
    if (known !== undefined && clock() < known.until) return known.worth;
    // whoever asks meanwhile gets the old one too; where the ledger cannot be read, it stays in use
    const old = keep(tenantId, known?.worth ?? UNKNOWN);
    refreshed(tenantId).catch(() => {});
    return old;
  };
  return Object.assign(worthOf, { refreshed });
}

async function readWorth(ledger: Ledger, tenantId: string): Promise<Worth> {
  const [drawn, observed, all, rulings] = await Promise.all([
    ledger.cells(tenantId, { by: "insight" }),
    ledger.cells(tenantId, { by: "insight", observed: true }),
    ledger.cells(tenantId, { by: "tenant" }),
    ledger.rulings(tenantId, MOST_RULINGS),
  ]);
  const priors = priorsOf(drawn);
  const utilities = new Map<string, Utility>();
  const randomised = byKey(drawn);
  const seen = byKey(observed);
  const everything = total(all.filter(({ shown }) => shown));
  for (const [insightId, cells] of [...seen, ...randomised]) {
    const shown = total(seen.get(insightId) ?? []);
    const without = less(everything, shown);
    const kind = priors.get(cells[0]?.kind ?? "") ?? null;
    utilities.set(insightId, utility(strataOf(randomised.get(insightId) ?? []), { shown, without }, kind));
  }
  return {
    utilityOf: (insightId, kind) => utilities.get(insightId) ?? utility([], null, priors.get(kind) ?? null),
    isOnTrial: retiredByProof(rulings),
  };
}

function priorsOf(cells: readonly Cell[]): Map<string, KindPrior | null> {
  const differences = [...byKey(cells).values()].flatMap((own) => {
    const found = difference(strataOf(own).filter(isRandomised));
    return found === null ? [] : [{ kind: own[0]?.kind ?? "", found }];
  });
  const kinds = new Set(differences.map(({ kind }) => kind));
  return new Map(
    [...kinds].map((kind) => [
      kind,
      kindPrior(differences.filter((one) => one.kind === kind).map(({ found }) => found)),
    ]),
  );
}

/** Tells a retirement that was ruled from one by a person: a ruling bears the very moment of the retirement it made. */
export function retiredByProof(
  rulings: readonly StoredRuling[],
): (insightId: string, retiredAt: number) => boolean {
  const made = new Set(
    rulings.filter(({ decision }) => decision === "retire").map(({ insightId, at }) => `${insightId} ${at}`),
  );
  return (insightId, retiredAt) => made.has(`${insightId} ${retiredAt}`);
}

function total(cells: readonly Arm[]): Arm {
  return cells.reduce<Arm>(added, noOutcomes);
}

function less(all: Arm, some: Arm): Arm {
  return {
    n: Math.max(0, all.n - some.n),
    sum: Math.max(0, all.sum - some.sum),
    sumOfSquares: Math.max(0, all.sumOfSquares - some.sumOfSquares),
  };
}
