/** Insights as they are read: with what their evidence says, counted. Written in evidence.ts. */
import type { InsightKind, InsightStructure } from "../../domain/insight.ts";
import type { CountedInsight, InsightFilter, InsightWithEvidence, Retirement } from "../../ports/store.ts";
import { type Database, sql } from "./driver.ts";
import { indexable } from "./texts.ts";

export async function about(
  db: Database,
  tenantId: string,
  topics: readonly string[],
): Promise<CountedInsight[]> {
  const rows = await db.tenant(tenantId).all<InsightRow>(
    `SELECT ${INSIGHT_COLUMNS} FROM insight i WHERE i.tenant_id = $1 AND i.insight_id IN (
       SELECT best.insight_id FROM unnest($2::text[]) AS asked (topic) CROSS JOIN LATERAL (
         SELECT b.insight_id FROM insight_topic t
         JOIN insight b ON b.tenant_id = t.tenant_id AND b.insight_id = t.insight_id
         WHERE t.tenant_id = $1 AND t.topic = asked.topic
         ORDER BY b.succeeded + b.failed + b.unknown DESC, b.insight_id LIMIT ${MOST_A_TOPIC}) best)
     ORDER BY i.insight_id`,
    tenantId,
    topics.map(indexable),
  );
  return rows.map(countedOf);
}

export async function list(db: Database, tenantId: string, filter: InsightFilter): Promise<CountedInsight[]> {
  const rows = await db.tenant(tenantId).all<InsightRow>(
    `SELECT ${INSIGHT_COLUMNS} FROM (
       SELECT * FROM insight i
       WHERE i.tenant_id = $1 AND ($2::text IS NULL OR i.kind = $2) AND ($3::text IS NULL OR ${STATUS} = $3)
       ORDER BY i.succeeded + i.failed + i.unknown DESC, i.insight_id LIMIT $4) i
     ORDER BY i.succeeded + i.failed + i.unknown DESC, i.insight_id`,
    tenantId,
    filter.kind ?? null,
    filter.status ?? null,
    filter.limit,
  );
  return rows.map(countedOf);
}

export async function find(
  db: Database,
  tenantId: string,
  insightId: string,
): Promise<InsightWithEvidence | null> {
  const [insight, evidence] = await db.tenant(tenantId).batch([
    sql<InsightRow>(
      `SELECT ${INSIGHT_COLUMNS} FROM insight i WHERE i.tenant_id = $1 AND i.insight_id = $2`,
      tenantId,
      insightId,
    ),
    sql<EvidenceRow>(
      `SELECT episode_id, stance, value, turn_from, turn_to FROM evidence
       WHERE tenant_id = $1 AND insight_id = $2 ORDER BY episode_id, stance, value`,
      tenantId,
      insightId,
    ),
  ]);
  const [row] = insight.rows;
  if (row === undefined) return null;
  return {
    ...countedOf(row),
    evidence: evidence.rows.map((one) => ({
      insightId,
      episodeId: one.episode_id,
      stance: one.stance,
      value: one.value === "" ? null : one.value,
      from: one.turn_from,
      to: one.turn_to,
    })),
  };
}

export async function retire(
  db: Database,
  tenantId: string,
  insightId: string,
  retired: Retirement | null,
): Promise<boolean> {
  const changed = await db
    .tenant(tenantId)
    .run(
      "UPDATE insight SET retired_at = $3, retired_why = $4 WHERE tenant_id = $1 AND insight_id = $2",
      tenantId,
      insightId,
      retired?.at ?? null,
      retired?.why ?? null,
    );
  return changed > 0;
}

const MOST_A_TOPIC = 64;
/** Named with a recommendation: enough to look it up, not a list without end. */
const MOST_SOURCES = 5;
const MOST_VALUES = 20;

/** Two different episodes make an insight active. */
const STATUS = `CASE WHEN i.retired_at IS NOT NULL THEN 'retired'
  WHEN i.succeeded + i.failed + i.unknown >= 2 THEN 'active' ELSE 'candidate' END`;

const INSIGHT_COLUMNS = `i.insight_id, i.kind, i.applies_when, i.topics, i.structure, i.created_at, i.last_seen_at,
  i.succeeded, i.failed, i.unknown, i.against, i.retired_at, i.retired_why, ${STATUS} AS status,
  ARRAY (SELECT DISTINCT e.episode_id FROM evidence e
    WHERE e.tenant_id = i.tenant_id AND e.insight_id = i.insight_id AND e.stance = 'for'
    ORDER BY e.episode_id DESC LIMIT ${MOST_SOURCES}) AS sources,
  ARRAY (SELECT json_build_array(v.value, v.count) FROM insight_value v
    WHERE v.tenant_id = i.tenant_id AND v.insight_id = i.insight_id
    ORDER BY v.count DESC, v.value LIMIT ${MOST_VALUES}) AS values`;

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
  readonly sources: string[];
  readonly values: [value: string, count: number][];
}

interface EvidenceRow {
  readonly episode_id: string;
  readonly stance: "for" | "against";
  readonly value: string;
  readonly turn_from: number;
  readonly turn_to: number;
}

function countedOf(row: InsightRow): CountedInsight {
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
    values: row.values.map(([value, count]) => ({ value, count })),
    sources: row.sources,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
  };
}
