/** What one upload teaches is written, and taken back, here: as one change over all tables that it touches. */
import type { InsightCounts } from "../../domain/insight.ts";
import { encodeInteraction } from "../../domain/interaction.ts";
import type { Fence } from "../../domain/job.ts";
import type { Forgetting, Forgotten, Learned } from "../../ports/store.ts";
import type { Database } from "./driver.ts";
import * as insights from "./insights.ts";
import * as intents from "./intents.ts";
import * as jobs from "./jobs.ts";
import * as tallies from "./tallies.ts";

export function complete(
  db: Database,
  { tenantId, fence, learned }: { tenantId: string; fence: Fence; learned: Learned },
): InsightCounts | null {
  const known = insights.countKnown(db, tenantId, learned.insights);
  const { skipped, notes, completedAt: at } = learned;
  const counts = { created: learned.insights.length - known, reinforced: known, skipped };
  const outcome = JSON.stringify({ insights: counts, notes });
  if (!jobs.complete(db, { tenantId, fence, at, outcome })) return null;
  intents.add(db, tenantId, learned);
  addEpisode(db, tenantId, learned);
  insights.add(db, tenantId, learned);
  tallies.add(db, tenantId, learned.tallies, learned.episode.success);
  return counts;
}

function addEpisode(db: Database, tenantId: string, { episode, tallies: counted }: Learned): void {
  db.run(
    `INSERT INTO episode
       (tenant_id, episode_id, intent_id, shape_id, family_id, success, created_at, tallies, interaction)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    tenantId,
    episode.episodeId,
    episode.intentId,
    episode.shapeId,
    episode.familyId,
    episode.success === null ? null : Number(episode.success),
    episode.createdAt,
    JSON.stringify(counted),
    encodeInteraction(episode.interaction),
  );
}

interface EpisodeRow {
  readonly intent_id: string;
  readonly shape_id: string;
  readonly success: number | null;
  readonly tallies: string;
}

export function forget(db: Database, { tenantId, what }: { tenantId: string; what: Forgetting }): Forgotten {
  const touched = new Set<string>();
  let episodes = 0;
  for (const episodeId of what.episodeIds) {
    const row = db.get<EpisodeRow>(
      `DELETE FROM episode WHERE tenant_id = ? AND episode_id = ?
       RETURNING intent_id, shape_id, success, tallies`,
      tenantId,
      episodeId,
    );
    if (row === undefined) continue;
    episodes += 1;
    const success = row.success === null ? null : row.success === 1;
    for (const insightId of insights.takeBack(db, tenantId, episodeId, success)) touched.add(insightId);
    tallies.takeBack(db, tenantId, JSON.parse(row.tallies) as Learned["tallies"], success);
    intents.release(db, tenantId, { intentId: row.intent_id, shapeId: row.shape_id });
  }
  const removed = insights.removeOrphans(db, tenantId, touched);
  return { episodes, insights: removed, uploads: withdrawUploads(db, tenantId, what) };
}

function withdrawUploads(db: Database, tenantId: string, { jobIds, at }: Forgetting): number {
  const outcome = JSON.stringify({
    insights: { created: 0, reinforced: 0, skipped: 0 },
    notes: ["deleted by intent before it was processed"],
  });
  let uploads = 0;
  for (const jobId of jobIds) uploads += Number(jobs.withdraw(db, { tenantId, jobId, at, outcome }));
  return uploads;
}

export function expire(
  db: Database,
  { jobs: endedBefore, idempotency }: { jobs: number; idempotency: number },
): void {
  db.run("DELETE FROM job WHERE ended_at < ?", endedBefore);
  db.run("DELETE FROM idempotency WHERE created_at < ?", idempotency);
}
