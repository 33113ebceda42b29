/** Enhancements with what they showed and what came of it. Reads and writes as plain functions over a connection. */
import {
  type Cell,
  type Coverage,
  type Division,
  type Enhancement,
  INFERRED_WITHIN_MS,
  INTO_WEEK_MS,
  MOST_TURNS,
  type Outcome,
  type OutcomeNote,
  type StoredRuling,
  type Told,
  WEEK_MS,
} from "../../ports/ledger.ts";
import type { Database, Value } from "./driver.ts";

export function record(
  db: Database,
  { tenantId, enhancement }: { tenantId: string; enhancement: Enhancement },
): void {
  const { enhancementId, at } = enhancement;
  // an enhancement that was under way when its tenant was erased leaves nothing behind
  const recorded = db.run(
    `INSERT OR IGNORE INTO enhancement
       (tenant_id, enhancement_id, at, request_hash, agent_type, family_id, arm, propensity)
     SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE EXISTS (SELECT 1 FROM tenant WHERE tenant_id = ?1)`,
    tenantId,
    enhancementId,
    at,
    enhancement.requestHash,
    enhancement.agentType,
    enhancement.familyId,
    enhancement.arm,
    enhancement.propensity,
  );
  if (recorded === 0) return;
  for (const exposure of enhancement.exposures) {
    db.run(
      `INSERT OR IGNORE INTO exposure
         (tenant_id, enhancement_id, insight_id, kind, at, shown, propensity, counts, speaks_for_kind)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      tenantId,
      enhancementId,
      exposure.insightId,
      exposure.kind,
      at,
      Number(exposure.shown),
      exposure.propensity,
      Number(exposure.counts),
      Number(exposure.speaksForKind),
    );
  }
}

interface OutcomeRow {
  readonly score: number | null;
  readonly inferred: number | null;
  readonly turns: number | null;
  readonly told_at: number | null;
}

export function tell(
  db: Database,
  { tenantId, enhancementId, outcome }: { tenantId: string; enhancementId: string; outcome: Outcome },
): Told {
  const known = db.get<OutcomeRow>(
    "SELECT score, inferred, turns, told_at FROM enhancement WHERE tenant_id = ? AND enhancement_id = ?",
    tenantId,
    enhancementId,
  );
  if (known === undefined) return "unknown";
  const isExplicit = known.score !== null && known.inferred === 0;
  if (isExplicit && (known.told_at ?? 0) > outcome.at) return "outdated";
  const turns = outcome.turns ?? known.turns;
  setOutcome(db, { tenantId, enhancementId, outcome: { ...outcome, turns }, inferred: false });
  if (known.score === null) return "counted";
  return isExplicit && known.score === outcome.score ? "repeated" : "replaced";
}

export function infer(
  db: Database,
  { tenantId, requestHash, outcome }: { tenantId: string; requestHash: string; outcome: Outcome },
): boolean {
  const from = outcome.at - INFERRED_WITHIN_MS;
  const counted = db.get(
    `SELECT 1 FROM enhancement
     WHERE tenant_id = ? AND request_hash = ? AND at BETWEEN ? AND ? AND source = ?`,
    tenantId,
    requestHash,
    from,
    outcome.at,
    outcome.source,
  );
  if (counted !== undefined) return false;
  const newest = db.get<{ enhancement_id: string }>(
    `SELECT enhancement_id FROM enhancement
     WHERE tenant_id = ? AND request_hash = ? AND at BETWEEN ? AND ? AND score IS NULL
     ORDER BY at DESC, enhancement_id DESC LIMIT 1`,
    tenantId,
    requestHash,
    from,
    outcome.at,
  );
  if (newest === undefined) return false;
  setOutcome(db, { tenantId, enhancementId: newest.enhancement_id, outcome, inferred: true });
  return true;
}

interface Joined {
  readonly tenantId: string;
  readonly enhancementId: string;
  readonly outcome: Outcome;
  readonly inferred: boolean;
}

function setOutcome(db: Database, { tenantId, enhancementId, outcome, inferred }: Joined): void {
  const turns = outcome.turns === null ? null : Math.min(outcome.turns, MOST_TURNS);
  db.run(
    `UPDATE enhancement SET score = ?, inferred = ?, turns = ?, told_at = ?, source = ?, note = coalesce(?, note)
     WHERE tenant_id = ? AND enhancement_id = ?`,
    outcome.score,
    Number(inferred),
    turns,
    outcome.at,
    outcome.source,
    outcome.note,
    tenantId,
    enhancementId,
  );
  db.run(
    "UPDATE exposure SET score = ?, inferred = ?, turns = ? WHERE tenant_id = ? AND enhancement_id = ?",
    outcome.score,
    Number(inferred),
    turns,
    tenantId,
    enhancementId,
  );
}

const SUMS = `count(*) AS n, sum(score) AS sum, sum(score * score) AS squares,
  sum(turns IS NOT NULL AND score = 1) AS turns_n,
  sum(CASE WHEN score = 1 THEN coalesce(turns, 0) ELSE 0 END) AS turns_sum,
  sum(CASE WHEN score = 1 THEN coalesce(turns * turns, 0) ELSE 0 END) AS turns_squares`;
const SPLIT = "inferred, propensity, shown";

const WEEK = `at - (at + ${INTO_WEEK_MS}) % ${WEEK_MS}`;

const ENHANCEMENT_KEYS = {
  tenant: "''",
  "agent type": "agent_type",
  family: "family_id",
  week: `CAST(${WEEK} AS TEXT)`,
} as const;

export function cells(
  db: Database,
  { tenantId, division }: { tenantId: string; division: Division },
): Cell[] {
  const ask = (from: string, ...parameters: Value[]) =>
    db
      .all<CellRow>(
        `SELECT key, kind, ${SPLIT}, ${SUMS} FROM (${from}) GROUP BY key, kind, ${SPLIT} ORDER BY key, kind, ${SPLIT}`,
        ...parameters,
      )
      .map(cellOf);
  if (division.by === "insight") {
    const { since = 0, insightId = null, observed = false } = division;
    return ask(
      `SELECT insight_id AS key, kind, ${SPLIT}, score, turns FROM exposure
       WHERE tenant_id = ?1 AND score IS NOT NULL AND at >= ?2 AND (?3 IS NULL OR insight_id = ?3)
         AND ${observed ? "counts = 0 AND shown = 1" : "counts = 1"}`,
      tenantId,
      since,
      insightId,
    );
  }
  if (division.by === "kind") {
    return ask(
      `SELECT kind AS key, kind, ${SPLIT}, score, turns FROM exposure
       WHERE tenant_id = ? AND score IS NOT NULL AND speaks_for_kind = 1`,
      tenantId,
    );
  }
  return ask(
    `SELECT ${ENHANCEMENT_KEYS[division.by]} AS key, '' AS kind, inferred, propensity, arm = 'shown' AS shown, score, turns
     FROM enhancement WHERE tenant_id = ? AND score IS NOT NULL AND arm <> 'abstained'`,
    tenantId,
  );
}

interface CellRow {
  readonly key: string;
  readonly kind: string;
  readonly inferred: number;
  readonly propensity: number;
  readonly shown: number;
  readonly n: number;
  readonly sum: number;
  readonly squares: number;
  readonly turns_n: number;
  readonly turns_sum: number;
  readonly turns_squares: number;
}

function cellOf(row: CellRow): Cell {
  return {
    key: row.key,
    kind: row.kind,
    inferred: row.inferred === 1,
    propensity: row.propensity,
    shown: row.shown === 1,
    n: row.n,
    sum: row.sum,
    sumOfSquares: row.squares,
    turns: { n: row.turns_n, sum: row.turns_sum, sumOfSquares: row.turns_squares },
  };
}

export function coverage(db: Database, { tenantId }: { tenantId: string }): Coverage[] {
  return db.all<Coverage>(
    `SELECT ${WEEK} AS week, arm, count(*) AS enhancements, count(score) AS outcomes
     FROM enhancement WHERE tenant_id = ? GROUP BY 1, 2 ORDER BY 1, 2`,
    tenantId,
  );
}

export function rulings(
  db: Database,
  { tenantId, limit }: { tenantId: string; limit: number },
): StoredRuling[] {
  return db.all<StoredRuling>(
    `SELECT at, insight_id AS insightId, decision, why FROM ruling WHERE tenant_id = ?
     ORDER BY at DESC, insight_id LIMIT ?`,
    tenantId,
    limit,
  );
}

export function rule(db: Database, { tenantId, ruling }: { tenantId: string; ruling: StoredRuling }): void {
  db.run(
    "INSERT OR IGNORE INTO ruling (tenant_id, insight_id, at, decision, why) VALUES (?, ?, ?, ?, ?)",
    tenantId,
    ruling.insightId,
    ruling.at,
    ruling.decision,
    ruling.why,
  );
}

export function notes(db: Database, { tenantId, limit }: { tenantId: string; limit: number }): OutcomeNote[] {
  return db.all<OutcomeNote>(
    `SELECT told_at AS at, enhancement_id AS enhancementId, score, note FROM enhancement
     WHERE tenant_id = ? AND note IS NOT NULL ORDER BY told_at DESC, enhancement_id LIMIT ?`,
    tenantId,
    limit,
  );
}

export function expire(db: Database, { before }: { before: number }): void {
  db.run("DELETE FROM exposure WHERE at < ?", before);
  db.run("DELETE FROM enhancement WHERE at < ?", before);
}
