/** Insights with their evidence. The counts beside an insight are always what counting its evidence would give. */
import type { Evidence, Insight, InsightKind, InsightStructure } from "../../domain/insight.ts";
import type {
  CountedInsight,
  InsightFilter,
  InsightWithEvidence,
  Learned,
  Retirement,
} from "../../ports/store.ts";
import type { Database } from "./driver.ts";
import { columnOf } from "./tallies.ts";

export function countKnown(db: Database, tenantId: string, insights: readonly Insight[]): number {
  return insights.filter(
    ({ insightId }) =>
      db.get("SELECT 1 FROM insight WHERE tenant_id = ? AND insight_id = ?", tenantId, insightId) !==
      undefined,
  ).length;
}

export function add(db: Database, tenantId: string, learned: Learned): void {
  for (const insight of learned.insights) addInsight(db, tenantId, insight, learned.completedAt);
  const counted = new Set<string>();
  for (const evidence of learned.evidence) {
    addEvidence(db, tenantId, learned.episode.episodeId, evidence);
    // an episode counts once for an insight, and once against it, however many turns or values it brings
    const once = `${evidence.stance} ${evidence.insightId}`;
    if (counted.has(once)) continue;
    counted.add(once);
    const column = evidence.stance === "for" ? columnOf(learned.episode.success) : "against";
    db.run(
      `UPDATE insight SET ${column} = ${column} + 1, last_seen_at = ? WHERE tenant_id = ? AND insight_id = ?`,
      learned.completedAt,
      tenantId,
      evidence.insightId,
    );
  }
}

function addInsight(db: Database, tenantId: string, insight: Insight, at: number): void {
  const added = db.run(
    `INSERT OR IGNORE INTO insight
       (tenant_id, insight_id, kind, applies_when, topics, structure, created_at, last_seen_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    tenantId,
    insight.insightId,
    insight.kind,
    insight.appliesWhen,
    JSON.stringify(insight.topics),
    JSON.stringify(insight.structure),
    at,
    at,
  );
  if (added === 0) return;
  for (const topic of insight.topics) {
    db.run(
      "INSERT OR IGNORE INTO insight_topic (tenant_id, topic, insight_id) VALUES (?, ?, ?)",
      tenantId,
      topic,
      insight.insightId,
    );
  }
}

function addEvidence(db: Database, tenantId: string, episodeId: string, evidence: Evidence): void {
  const added = db.run(
    `INSERT OR IGNORE INTO evidence (tenant_id, insight_id, episode_id, stance, value, turn_from, turn_to)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    tenantId,
    evidence.insightId,
    episodeId,
    evidence.stance,
    evidence.value ?? "",
    evidence.from,
    evidence.to,
  );
  if (added === 0 || evidence.value === null) return;
  db.run(
    `INSERT INTO insight_value (tenant_id, insight_id, value, count) VALUES (?, ?, ?, 1)
     ON CONFLICT DO UPDATE SET count = count + 1`,
    tenantId,
    evidence.insightId,
    evidence.value,
  );
}

/** Removes an episode's evidence and its counts; answers which insights that touched. */
export function takeBack(
  db: Database,
  tenantId: string,
  episodeId: string,
  success: boolean | null,
): Set<string> {
  const rows = db.all<{ insight_id: string; stance: "for" | "against"; value: string }>(
    "DELETE FROM evidence WHERE tenant_id = ? AND episode_id = ? RETURNING insight_id, stance, value",
    tenantId,
    episodeId,
  );
  const counted = new Set<string>();
  for (const { insight_id: insightId, stance, value } of rows) {
    if (value !== "") takeBackValue(db, tenantId, insightId, value);
    const once = `${stance} ${insightId}`;
    if (counted.has(once)) continue;
    counted.add(once);
    const column = stance === "for" ? columnOf(success) : "against";
    db.run(
      `UPDATE insight SET ${column} = ${column} - 1 WHERE tenant_id = ? AND insight_id = ?`,
      tenantId,
      insightId,
    );
  }
  return new Set(rows.map((row) => row.insight_id));
}

function takeBackValue(db: Database, tenantId: string, insightId: string, value: string): void {
  db.run(
    "UPDATE insight_value SET count = count - 1 WHERE tenant_id = ? AND insight_id = ? AND value = ?",
    tenantId,
    insightId,
    value,
  );
  db.run(
    "DELETE FROM insight_value WHERE tenant_id = ? AND insight_id = ? AND value = ? AND count <= 0",
    tenantId,
    insightId,
    value,
  );
}

/** An insight lives as long as an episode speaks for it. */
export function removeOrphans(db: Database, tenantId: string, insightIds: Iterable<string>): number {
  let removed = 0;
  for (const insightId of insightIds) {
    const orphan = db.run(
      `DELETE FROM insight
       WHERE tenant_id = ? AND insight_id = ? AND succeeded <= 0 AND failed <= 0 AND unknown <= 0`,
      tenantId,
      insightId,
    );
    if (orphan === 0) continue;
    removed += 1;
    for (const table of ["evidence", "insight_value", "insight_topic"]) {
      db.run(`DELETE FROM ${table} WHERE tenant_id = ? AND insight_id = ?`, tenantId, insightId);
    }
  }
  return removed;
}

export function about(
  db: Database,
  { tenantId, topics }: { tenantId: string; topics: readonly string[] },
): CountedInsight[] {
  const rows = new Map<string, InsightRow>();
  for (const topic of new Set(topics)) {
    const found = db.all<InsightRow>(
      `SELECT ${INSIGHT_COLUMNS} FROM insight WHERE tenant_id = ?1 AND insight_id IN (
         SELECT insight_id FROM insight_topic WHERE tenant_id = ?1 AND topic = ?2)
       ORDER BY succeeded + failed + unknown DESC, insight_id LIMIT ${MOST_A_TOPIC}`,
      tenantId,
      topic,
    );
    for (const row of found) rows.set(row.insight_id, row);
  }
  return [...rows.values()]
    .sort((a, b) => (a.insight_id < b.insight_id ? -1 : 1))
    .map((row) => countedOf(db, tenantId, row));
}

export function list(
  db: Database,
  { tenantId, filter }: { tenantId: string; filter: InsightFilter },
): CountedInsight[] {
  const rows = db.all<InsightRow>(
    `SELECT ${INSIGHT_COLUMNS} FROM insight
     WHERE tenant_id = ?1 AND (?2 IS NULL OR kind = ?2) AND (?3 IS NULL OR ${STATUS} = ?3)
     ORDER BY succeeded + failed + unknown DESC, insight_id LIMIT ?4`,
    tenantId,
    filter.kind ?? null,
    filter.status ?? null,
    filter.limit,
  );
  return rows.map((row) => countedOf(db, tenantId, row));
}

export function find(
  db: Database,
  { tenantId, insightId }: { tenantId: string; insightId: string },
): InsightWithEvidence | null {
  const row = db.get<InsightRow>(
    `SELECT ${INSIGHT_COLUMNS} FROM insight WHERE tenant_id = ? AND insight_id = ?`,
    tenantId,
    insightId,
  );
  if (row === undefined) return null;
  const evidence = db.all<EvidenceRow>(
    `SELECT episode_id, stance, value, turn_from, turn_to FROM evidence
     WHERE tenant_id = ? AND insight_id = ? ORDER BY episode_id, stance, value`,
    tenantId,
    insightId,
  );
  return {
    ...countedOf(db, tenantId, row),
    evidence: evidence.map((one) => ({
      insightId,
      episodeId: one.episode_id,
      stance: one.stance,
      value: one.value === "" ? null : one.value,
      from: one.turn_from,
      to: one.turn_to,
    })),
  };
}

export function retire(
  db: Database,
  { tenantId, insightId, retired }: { tenantId: string; insightId: string; retired: Retirement | null },
): boolean {
  return (
    db.run(
      "UPDATE insight SET retired_at = ?, retired_why = ? WHERE tenant_id = ? AND insight_id = ?",
      retired?.at ?? null,
      retired?.why ?? null,
      tenantId,
      insightId,
    ) > 0
  );
}

const MOST_A_TOPIC = 64;
/** Named with a recommendation: enough to look it up, not a list without end. */
const MOST_SOURCES = 5;
const MOST_VALUES = 20;

/** Two different episodes make an insight active. */
const STATUS = `CASE WHEN retired_at IS NOT NULL THEN 'retired'
  WHEN succeeded + failed + unknown >= 2 THEN 'active' ELSE 'candidate' END`;

const INSIGHT_COLUMNS = `insight_id, kind, applies_when, topics, structure, created_at, last_seen_at,
  succeeded, failed, unknown, against, retired_at, retired_why, ${STATUS} AS status`;

interface InsightRow {
  readonly insight_id: string;
  readonly kind: InsightKind;
  readonly applies_when: string;
  readonly topics: string;
  readonly structure: string;
  readonly created_at: number;
  readonly last_seen_at: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly unknown: number;
  readonly against: number;
  readonly retired_at: number | null;
  readonly retired_why: string | null;
  readonly status: CountedInsight["status"];
}

interface EvidenceRow {
  readonly episode_id: string;
  readonly stance: "for" | "against";
  readonly value: string;
  readonly turn_from: number;
  readonly turn_to: number;
}

function countedOf(db: Database, tenantId: string, row: InsightRow): CountedInsight {
  const sources = db.all<{ episode_id: string }>(
    `SELECT DISTINCT episode_id FROM evidence WHERE tenant_id = ? AND insight_id = ? AND stance = 'for'
     ORDER BY episode_id DESC LIMIT ${MOST_SOURCES}`,
    tenantId,
    row.insight_id,
  );
  const values = db.all<{ value: string; count: number }>(
    `SELECT value, count FROM insight_value WHERE tenant_id = ? AND insight_id = ?
     ORDER BY count DESC, value LIMIT ${MOST_VALUES}`,
    tenantId,
    row.insight_id,
  );
  return {
    insight: {
      insightId: row.insight_id,
      kind: row.kind,
      appliesWhen: row.applies_when,
      topics: JSON.parse(row.topics) as string[],
      structure: JSON.parse(row.structure) as InsightStructure,
    },
    status: row.status,
    retirement: row.retired_at === null ? null : { at: row.retired_at, why: row.retired_why ?? "" },
    support: { succeeded: row.succeeded, failed: row.failed },
    unknown: row.unknown,
    against: row.against,
    values,
    sources: sources.map((source) => source.episode_id),
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
  };
}
