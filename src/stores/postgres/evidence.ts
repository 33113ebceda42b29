/**
 * What episodes say for and against insights, written and taken back. The counts beside an insight are always what
 * counting its evidence would give.
 */
import type { Evidence, Insight } from "../../domain/insight.ts";
import type { Learned } from "../../ports/store.ts";
import { sql, type Statement, type Transaction } from "./driver.ts";
import { columnOf } from "./tallies.ts";
import { countBy, indexable } from "./texts.ts";

export function selectKnown(
  tenantId: string,
  insights: readonly Insight[],
): Statement<{ insight_id: string }> {
  return sql(
    "SELECT insight_id FROM insight WHERE tenant_id = $1 AND insight_id = ANY ($2)",
    tenantId,
    insights.map(({ insightId }) => insightId),
  );
}

export function add(
  tenantId: string,
  learned: Learned,
  isKnown: (insight: Insight) => boolean,
): Statement<unknown>[] {
  const unknown = learned.insights.filter((insight) => !isKnown(insight));
  return [
    ...(unknown.length > 0 ? addInsights(tenantId, unknown, learned.completedAt) : []),
    ...(learned.evidence.length > 0 ? addEvidence(tenantId, learned) : []),
  ];
}

function addInsights(tenantId: string, insights: readonly Insight[], at: number): Statement<unknown>[] {
  const topics = insights.flatMap(({ insightId, topics: names }) =>
    names.map((topic) => ({ topic: indexable(topic), insightId })),
  );
  return [
    sql(
      `INSERT INTO insight (tenant_id, insight_id, kind, applies_when, topics, structure, created_at, last_seen_at)
       SELECT $1, i.*, $7, $7
       FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) AS i
       ON CONFLICT (tenant_id, insight_id) DO NOTHING`,
      tenantId,
      insights.map(({ insightId }) => insightId),
      insights.map(({ kind }) => kind),
      insights.map(({ appliesWhen }) => appliesWhen),
      insights.map(({ topics: names }) => JSON.stringify(names)),
      insights.map(({ structure }) => JSON.stringify(structure)),
      at,
    ),
    sql(
      `INSERT INTO insight_topic (tenant_id, topic, insight_id)
       SELECT $1, t.* FROM unnest($2::text[], $3::text[]) AS t
       ON CONFLICT (tenant_id, topic, insight_id) DO NOTHING`,
      tenantId,
      topics.map(({ topic }) => topic),
      topics.map(({ insightId }) => insightId),
    ),
  ];
}

function addEvidence(tenantId: string, { evidence, episode, completedAt }: Learned): Statement<unknown>[] {
  const once = countBy(evidence, ({ insightId, stance, value }) =>
    JSON.stringify([insightId, stance, indexable(value ?? "")]),
  ).map(({ item }) => item);
  const answers = once.flatMap(({ insightId, value }) => (value ? [{ insightId, value }] : []));
  return [
    sql(
      `INSERT INTO evidence (tenant_id, insight_id, episode_id, stance, value_key, value, turn_from, turn_to)
       SELECT $1, e.insight_id, $2, e.stance, e.value_key, e.value, e.turn_from, e.turn_to
       FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::int[])
         AS e (insight_id, stance, value_key, value, turn_from, turn_to)
       ON CONFLICT (tenant_id, insight_id, episode_id, stance, value_key) DO NOTHING`,
      tenantId,
      episode.episodeId,
      once.map(({ insightId }) => insightId),
      once.map(({ stance }) => stance),
      once.map(({ value }) => indexable(value ?? "")),
      once.map(({ value }) => value ?? ""),
      once.map(({ from }) => from),
      once.map(({ to }) => to),
    ),
    ...(answers.length > 0 ? [addAnswers(tenantId, answers)] : []),
    ...countEpisodes(tenantId, once, columnOf(episode.success), completedAt),
  ];
}

interface Answered {
  readonly insightId: string;
  readonly value: string;
}

function addAnswers(tenantId: string, answers: readonly Answered[]): Statement<unknown> {
  const counted = countBy(answers, ({ insightId, value }) => JSON.stringify([insightId, indexable(value)]));
  return sql(
    `INSERT INTO insight_value (tenant_id, insight_id, value_key, value, count)
     SELECT $1, v.* FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) AS v
     ON CONFLICT (tenant_id, insight_id, value_key) DO UPDATE SET count = insight_value.count + excluded.count`,
    tenantId,
    counted.map(({ item }) => item.insightId),
    counted.map(({ item }) => indexable(item.value)),
    counted.map(({ item }) => item.value),
    counted.map(({ count }) => count),
  );
}

/** An episode counts once for an insight, and once against it, however many turns or values it brings. */
function countEpisodes(
  tenantId: string,
  evidence: readonly Evidence[],
  column: string,
  at: number,
): Statement<unknown>[] {
  const of = (wanted: Evidence["stance"]) => [
    ...new Set(evidence.filter(({ stance }) => stance === wanted).map(({ insightId }) => insightId)),
  ];
  const count = (counter: string, insightIds: readonly string[]) =>
    sql(
      `UPDATE insight SET ${counter} = ${counter} + 1, last_seen_at = $3 WHERE tenant_id = $1 AND insight_id = ANY ($2)`,
      tenantId,
      insightIds,
      at,
    );
  return [count(column, of("for")), count("against", of("against"))];
}

export interface EndedEpisode {
  readonly episodeId: string;
  readonly success: boolean | null;
}

/** Removes episodes' evidence and their counts, and the insights left without any; answers how many those were. */
export async function takeBack(
  transaction: Transaction,
  tenantId: string,
  episodes: readonly EndedEpisode[],
): Promise<number> {
  const [{ rows }] = await transaction.batch([
    sql<{ insight_id: string; episode_id: string; stance: Evidence["stance"]; value: string }>(
      `DELETE FROM evidence WHERE tenant_id = $1 AND episode_id = ANY ($2)
       RETURNING insight_id, episode_id, stance, value`,
      tenantId,
      episodes.map(({ episodeId }) => episodeId),
    ),
  ]);
  if (rows.length === 0) return 0;
  const success = new Map(episodes.map((episode) => [episode.episodeId, episode.success]));
  const counted = countBy(rows, (row) => JSON.stringify([row.insight_id, row.episode_id, row.stance])).map(
    ({ item }) => ({
      insightId: item.insight_id,
      column: item.stance === "for" ? columnOf(success.get(item.episode_id) ?? null) : "against",
    }),
  );
  const answers = rows.flatMap((row) =>
    row.value === "" ? [] : [{ insightId: row.insight_id, value: row.value }],
  );
  await transaction.batch([
    ...COUNTERS.map((column) =>
      uncount(
        tenantId,
        column,
        counted.filter((one) => one.column === column),
      ),
    ),
    ...(answers.length > 0 ? takeBackAnswers(tenantId, answers) : []),
  ]);
  return removeOrphans(transaction, tenantId, [...new Set(rows.map((row) => row.insight_id))]);
}

const COUNTERS = ["succeeded", "failed", "unknown", "against"] as const;

function uncount(
  tenantId: string,
  column: (typeof COUNTERS)[number],
  episodes: readonly { readonly insightId: string }[],
): Statement<unknown> {
  const counted = countBy(episodes, ({ insightId }) => insightId);
  return sql(
    `UPDATE insight i SET ${column} = i.${column} - d.n FROM unnest($2::text[], $3::bigint[]) AS d (insight_id, n)
     WHERE i.tenant_id = $1 AND i.insight_id = d.insight_id`,
    tenantId,
    counted.map(({ item }) => item.insightId),
    counted.map(({ count }) => count),
  );
}

function takeBackAnswers(tenantId: string, answers: readonly Answered[]): Statement<unknown>[] {
  const counted = countBy(answers, ({ insightId, value }) => JSON.stringify([insightId, indexable(value)]));
  const insightIds = counted.map(({ item }) => item.insightId);
  const valueKeys = counted.map(({ item }) => indexable(item.value));
  return [
    sql(
      `UPDATE insight_value v SET count = v.count - d.n
       FROM unnest($2::text[], $3::text[], $4::bigint[]) AS d (insight_id, value_key, n)
       WHERE v.tenant_id = $1 AND v.insight_id = d.insight_id AND v.value_key = d.value_key`,
      tenantId,
      insightIds,
      valueKeys,
      counted.map(({ count }) => count),
    ),
    sql(
      `DELETE FROM insight_value v USING unnest($2::text[], $3::text[]) AS d (insight_id, value_key)
       WHERE v.tenant_id = $1 AND v.insight_id = d.insight_id AND v.value_key = d.value_key AND v.count <= 0`,
      tenantId,
      insightIds,
      valueKeys,
    ),
  ];
}

/** An insight lives as long as an episode speaks for it. */
async function removeOrphans(
  transaction: Transaction,
  tenantId: string,
  insightIds: readonly string[],
): Promise<number> {
  const [{ rows }] = await transaction.batch([
    sql<{ insight_id: string; topics: string }>(
      `DELETE FROM insight WHERE tenant_id = $1 AND insight_id = ANY ($2)
         AND succeeded <= 0 AND failed <= 0 AND unknown <= 0 RETURNING insight_id, topics`,
      tenantId,
      insightIds,
    ),
  ]);
  if (rows.length === 0) return 0;
  const orphans = rows.map((row) => row.insight_id);
  const topics = rows.flatMap((row) =>
    (JSON.parse(row.topics) as string[]).map((topic) => ({
      topic: indexable(topic),
      insightId: row.insight_id,
    })),
  );
  await transaction.batch([
    sql("DELETE FROM evidence WHERE tenant_id = $1 AND insight_id = ANY ($2)", tenantId, orphans),
    sql("DELETE FROM insight_value WHERE tenant_id = $1 AND insight_id = ANY ($2)", tenantId, orphans),
    sql(
      `DELETE FROM insight_topic t USING unnest($2::text[], $3::text[]) AS d (topic, insight_id)
       WHERE t.tenant_id = $1 AND t.topic = d.topic AND t.insight_id = d.insight_id`,
      tenantId,
      topics.map(({ topic }) => topic),
      topics.map(({ insightId }) => insightId),
    ),
  ]);
  return orphans.length;
}
