/** What one upload teaches is written, and taken back, here: as one change over all tables that it touches. */
import type { InsightCounts } from "../../domain/insight.ts";
import { encodeInteraction } from "../../domain/interaction.ts";
import type { Fence } from "../../domain/job.ts";
import type { Forgetting, Forgotten, Learned, Tally } from "../../ports/store.ts";
import { type Database, sql, type Statement, type Transaction } from "./driver.ts";
import * as evidence from "./evidence.ts";
import * as intents from "./intents.ts";
import * as jobs from "./jobs.ts";
import * as tallies from "./tallies.ts";

/**
 * Two round trips: one to hold the tenant and the job and to see what is known, one to write and commit. Whoever changes
 * a tenant's knowledge holds the tenant first, so that two never wait for each other in a circle.
 */
export async function complete(
  db: Database,
  tenantId: string,
  fence: Fence,
  learned: Learned,
): Promise<InsightCounts | null> {
  return db.tenant(tenantId).transaction(async (transaction) => {
    const [tenant, job, insight, shape] = await transaction.batch([
      intents.moveVersion(tenantId),
      jobs.hold(tenantId, fence),
      evidence.selectKnown(tenantId, learned.insights),
      intents.hasShape(tenantId, learned.shape.shapeId),
    ]);
    if (job.count === 0) {
      await transaction.end("ROLLBACK");
      return null;
    }
    const [moved] = tenant.rows;
    if (moved === undefined) throw new Error("a job outlived its tenant");
    const known = new Set(insight.rows.map((row) => row.insight_id));
    const isKnown = ({ insightId }: { readonly insightId: string }) => known.has(insightId);
    const reinforced = learned.insights.filter(isKnown).length;
    const counts = { created: learned.insights.length - reinforced, reinforced, skipped: learned.skipped };
    const { completedAt: at, notes, episode } = learned;
    await transaction.last([
      jobs.complete(tenantId, fence, { at, outcome: JSON.stringify({ insights: counts, notes }) }),
      ...intents.add(tenantId, learned, { version: moved.version, isNew: shape.count === 0 }),
      addEpisode(tenantId, learned),
      ...evidence.add(tenantId, learned, isKnown),
      ...tallies.add(
        tenantId,
        learned.tallies.map((tally) => ({ ...tally, success: episode.success })),
      ),
    ]);
    return counts;
  });
}

function addEpisode(tenantId: string, { episode, tallies: counted }: Learned): Statement<unknown> {
  return sql(
    `INSERT INTO episode
       (tenant_id, episode_id, intent_id, shape_id, family_id, success, created_at, tallies, interaction)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    tenantId,
    episode.episodeId,
    episode.intentId,
    episode.shapeId,
    episode.familyId,
    episode.success,
    episode.createdAt,
    JSON.stringify(counted),
    encodeInteraction(episode.interaction),
  );
}

interface EpisodeRow {
  readonly episode_id: string;
  readonly intent_id: string;
  readonly shape_id: string;
  readonly success: boolean | null;
  readonly tallies: string;
}

/** Episodes taken back with one statement each way; a statement has a time limit. */
const CHUNK = 500;

export async function forget(db: Database, tenantId: string, what: Forgetting): Promise<Forgotten> {
  return db.tenant(tenantId).transaction(async (transaction) => {
    await transaction.batch([intents.moveVersion(tenantId)]);
    let episodes = 0;
    let removed = 0;
    for (let from = 0; from < what.episodeIds.length; from += CHUNK) {
      const taken = await takeBack(transaction, tenantId, what.episodeIds.slice(from, from + CHUNK));
      episodes += taken.episodes;
      removed += taken.insights;
    }
    const uploads = await withdrawUploads(transaction, tenantId, what);
    return { episodes, insights: removed, uploads };
  });
}

async function takeBack(
  transaction: Transaction,
  tenantId: string,
  episodeIds: readonly string[],
): Promise<{ episodes: number; insights: number }> {
  const [{ rows }] = await transaction.batch([
    sql<EpisodeRow>(
      `DELETE FROM episode WHERE tenant_id = $1 AND episode_id = ANY ($2)
       RETURNING episode_id, intent_id, shape_id, success, tallies`,
      tenantId,
      episodeIds,
    ),
  ]);
  if (rows.length === 0) return { episodes: 0, insights: 0 };
  const removed = await evidence.takeBack(
    transaction,
    tenantId,
    rows.map((row) => ({ episodeId: row.episode_id, success: row.success })),
  );
  const counted = rows.flatMap(({ tallies: text, success }) =>
    (JSON.parse(text) as Tally[]).map((tally) => ({ ...tally, success })),
  );
  await transaction.batch(tallies.takeBack(tenantId, counted));
  await intents.release(
    transaction,
    tenantId,
    rows.map((row) => ({ intentId: row.intent_id, shapeId: row.shape_id })),
  );
  return { episodes: rows.length, insights: removed };
}

async function withdrawUploads(
  transaction: Transaction,
  tenantId: string,
  { jobIds, at }: Forgetting,
): Promise<number> {
  if (jobIds.length === 0) return 0;
  const outcome = JSON.stringify({
    insights: { created: 0, reinforced: 0, skipped: 0 },
    notes: ["deleted by intent before it was processed"],
  });
  const [{ count }] = await transaction.batch([jobs.withdraw(tenantId, jobIds, { at, outcome })]);
  return count;
}

const MOST_EXPIRED = 1_000;

export async function expire(
  db: Database,
  before: { readonly jobs: number; readonly idempotency: number },
): Promise<void> {
  while ((await jobs.expire(db, before.jobs, MOST_EXPIRED)) === MOST_EXPIRED);
  while ((await jobs.expireIdempotency(db, before.idempotency, MOST_EXPIRED)) === MOST_EXPIRED);
}
