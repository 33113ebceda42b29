/** Intents, episodes, insights and evidence. Reads and writes as plain functions over a connection. */
import type {
  Evidence,
  Insight,
  InsightCounts,
  InsightKind,
  InsightStructure,
} from "../../domain/insight.ts";
import { encodeInteraction } from "../../domain/interaction.ts";
import type { Fence } from "../../domain/job.ts";
import type { AppliedInsight, EpisodeOfIntent, Forgetting, Forgotten, Learned } from "../../ports/store.ts";
import type { Database } from "./driver.ts";
import * as jobs from "./jobs.ts";

export function complete(
  db: Database,
  { tenantId, fence, learned }: { tenantId: string; fence: Fence; learned: Learned },
): InsightCounts | null {
  const counts = countInsights(db, tenantId, learned);
  const outcome = JSON.stringify({ insights: counts, notes: learned.notes });
  if (!jobs.complete(db, { tenantId, fence, at: learned.completedAt, outcome })) return null;
  addIntent(db, tenantId, learned);
  addEpisode(db, tenantId, learned);
  for (const insight of learned.insights) addInsight(db, tenantId, insight, learned.completedAt);
  for (const evidence of learned.evidence) addEvidence(db, tenantId, evidence);
  return counts;
}

function countInsights(db: Database, tenantId: string, learned: Learned): InsightCounts {
  const known = learned.insights.filter(
    (insight) =>
      db.get("SELECT 1 FROM insight WHERE tenant_id = ? AND insight_id = ?", tenantId, insight.insightId) !==
      undefined,
  ).length;
  return { created: learned.insights.length - known, reinforced: known, skipped: learned.skipped };
}

function addIntent(db: Database, tenantId: string, { episode, vector, words }: Learned): void {
  const known = db.run(
    "UPDATE intent SET episodes = episodes + 1 WHERE tenant_id = ? AND intent_id = ?",
    tenantId,
    episode.intent.intentId,
  );
  if (known > 0) return;
  const moved = db.get<{ version: number }>(
    "UPDATE tenant SET version = version + 1 WHERE tenant_id = ? RETURNING version",
    tenantId,
  );
  if (moved === undefined) throw new Error("a job outlived its tenant");
  db.run(
    `INSERT INTO intent (tenant_id, intent_id, text, words, space, vector, episodes, version)
     VALUES (?, ?, ?, ?, ?, ?, 1, ?)`,
    tenantId,
    episode.intent.intentId,
    episode.intent.text,
    words.join(" "),
    vector.space,
    bytesOf(vector.values),
    moved.version,
  );
}

function addEpisode(db: Database, tenantId: string, { episode }: Learned): void {
  const { success } = episode.interaction;
  db.run(
    `INSERT INTO episode (tenant_id, episode_id, intent_id, success, created_at, interaction)
     VALUES (?, ?, ?, ?, ?, ?)`,
    tenantId,
    episode.episodeId,
    episode.intent.intentId,
    success === null ? null : Number(success),
    episode.createdAt,
    encodeInteraction(episode.interaction),
  );
}

function addInsight(db: Database, tenantId: string, insight: Insight, at: number): void {
  db.run(
    `INSERT OR IGNORE INTO insight (tenant_id, insight_id, kind, applies_when, structure, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    tenantId,
    insight.insightId,
    insight.kind,
    insight.appliesWhen,
    JSON.stringify(insight.structure),
    at,
  );
}

function addEvidence(db: Database, tenantId: string, evidence: Evidence): void {
  db.run(
    `INSERT OR IGNORE INTO evidence (tenant_id, episode_id, insight_id, stance, turn_from, turn_to)
     VALUES (?, ?, ?, ?, ?, ?)`,
    tenantId,
    evidence.episodeId,
    evidence.insightId,
    evidence.stance,
    evidence.from,
    evidence.to,
  );
}

export function forget(db: Database, { tenantId, what }: { tenantId: string; what: Forgetting }): Forgotten {
  const touched = new Set<string>();
  let episodes = 0;
  for (const episodeId of what.episodeIds) {
    for (const row of db.all<{ insight_id: string }>(
      "DELETE FROM evidence WHERE tenant_id = ? AND episode_id = ? RETURNING insight_id",
      tenantId,
      episodeId,
    )) {
      touched.add(row.insight_id);
    }
    const gone = db.get<{ intent_id: string }>(
      "DELETE FROM episode WHERE tenant_id = ? AND episode_id = ? RETURNING intent_id",
      tenantId,
      episodeId,
    );
    if (gone === undefined) continue;
    episodes += 1;
    releaseIntent(db, tenantId, gone.intent_id);
  }
  const outcome = JSON.stringify({
    insights: { created: 0, reinforced: 0, skipped: 0 },
    notes: ["deleted by intent before it was processed"],
  });
  let uploads = 0;
  for (const jobId of what.jobIds)
    uploads += Number(jobs.withdraw(db, { tenantId, jobId, at: what.at, outcome }));
  return { episodes, insights: removeOrphans(db, tenantId, touched), uploads };
}

function releaseIntent(db: Database, tenantId: string, intentId: string): void {
  db.run(
    "UPDATE intent SET episodes = episodes - 1 WHERE tenant_id = ? AND intent_id = ?",
    tenantId,
    intentId,
  );
  const gone = db.run(
    "DELETE FROM intent WHERE tenant_id = ? AND intent_id = ? AND episodes <= 0",
    tenantId,
    intentId,
  );
  if (gone > 0)
    db.run("UPDATE tenant SET version = version + 1, epoch = epoch + 1 WHERE tenant_id = ?", tenantId);
}

/** An insight lives as long as an episode speaks for it. */
function removeOrphans(db: Database, tenantId: string, insightIds: Iterable<string>): number {
  let removed = 0;
  for (const insightId of insightIds) {
    const orphan = db.run(
      `DELETE FROM insight WHERE tenant_id = ?1 AND insight_id = ?2 AND NOT EXISTS
       (SELECT 1 FROM evidence WHERE tenant_id = ?1 AND insight_id = ?2 AND stance = 'for')`,
      tenantId,
      insightId,
    );
    if (orphan === 0) continue;
    removed += 1;
    db.run("DELETE FROM evidence WHERE tenant_id = ? AND insight_id = ?", tenantId, insightId);
  }
  return removed;
}

export function episodesOf(
  db: Database,
  { tenantId, intentIds }: { tenantId: string; intentIds: readonly string[] },
): EpisodeOfIntent[] {
  return db
    .all<{ intent_id: string; episode_id: string }>(
      `SELECT intent_id, episode_id FROM episode
       WHERE tenant_id = ? AND intent_id IN (SELECT value FROM json_each(?)) ORDER BY episode_id`,
      tenantId,
      JSON.stringify(intentIds),
    )
    .map((row) => ({ intentId: row.intent_id, episodeId: row.episode_id }));
}

/** Sources named with a recommendation: enough to look it up, not a list without end. */
const MOST_SOURCES = 5;

export function insightsFor(
  db: Database,
  { tenantId, intentIds }: { tenantId: string; intentIds: readonly string[] },
): AppliedInsight[] {
  const rows = db.all<AppliedRow>(
    `SELECT i.insight_id, i.kind, i.applies_when, i.structure, e.intent_id,
       sum(v.stance = 'for' AND e.success IS 1) AS succeeded,
       sum(v.stance = 'for' AND e.success IS 0) AS failed,
       sum(v.stance = 'against') AS against,
       group_concat(e.episode_id) AS episodes
     FROM episode e
       JOIN evidence v ON v.tenant_id = e.tenant_id AND v.episode_id = e.episode_id
       JOIN insight i ON i.tenant_id = v.tenant_id AND i.insight_id = v.insight_id
     WHERE e.tenant_id = ? AND e.intent_id IN (SELECT value FROM json_each(?))
     GROUP BY i.insight_id, e.intent_id ORDER BY i.insight_id, e.intent_id`,
    tenantId,
    JSON.stringify(intentIds),
  );
  return rows.map((row) => ({
    insight: insightOf(row),
    intentId: row.intent_id,
    support: { succeeded: row.succeeded, failed: row.failed },
    against: row.against,
    total: totalSupport(db, tenantId, row.insight_id),
    sources: row.episodes.split(",").sort().reverse().slice(0, MOST_SOURCES),
  }));
}

function totalSupport(
  db: Database,
  tenantId: string,
  insightId: string,
): { succeeded: number; failed: number } {
  const row = db.get<{ succeeded: number | null; failed: number | null }>(
    `SELECT sum(e.success IS 1) AS succeeded, sum(e.success IS 0) AS failed
     FROM evidence v JOIN episode e ON e.tenant_id = v.tenant_id AND e.episode_id = v.episode_id
     WHERE v.tenant_id = ? AND v.insight_id = ? AND v.stance = 'for'`,
    tenantId,
    insightId,
  );
  return { succeeded: row?.succeeded ?? 0, failed: row?.failed ?? 0 };
}

interface AppliedRow {
  readonly insight_id: string;
  readonly kind: InsightKind;
  readonly applies_when: string;
  readonly structure: string;
  readonly intent_id: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly against: number;
  readonly episodes: string;
}

function insightOf(row: AppliedRow): Insight {
  return {
    insightId: row.insight_id,
    kind: row.kind,
    appliesWhen: row.applies_when,
    structure: JSON.parse(row.structure) as InsightStructure,
  };
}

export interface IntentRow {
  readonly intent_id: string;
  readonly text: string;
  readonly words: string;
  readonly space: string;
  readonly vector: Uint8Array;
  readonly version: number;
}

/** One chunk of intents in the order of their versions, after the given one. */
export function intentsAfter(db: Database, tenantId: string, version: number, limit: number): IntentRow[] {
  return db.all<IntentRow>(
    `SELECT intent_id, text, words, space, vector, version FROM intent
     WHERE tenant_id = ? AND version > ? ORDER BY version LIMIT ?`,
    tenantId,
    version,
    limit,
  );
}

export function versionOf(db: Database, tenantId: string): { version: number; epoch: number } {
  return (
    db.get<{ version: number; epoch: number }>(
      "SELECT version, epoch FROM tenant WHERE tenant_id = ?",
      tenantId,
    ) ?? {
      version: 0,
      epoch: 0,
    }
  );
}

export function expire(db: Database, { jobs, idempotency }: { jobs: number; idempotency: number }): void {
  db.run("DELETE FROM job WHERE ended_at < ?", jobs);
  db.run("DELETE FROM idempotency WHERE created_at < ?", idempotency);
}

function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Blobs arrive unaligned, so the floats are copied out. */
export function vectorOf(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer);
}
