/** Counters by topic and key, by how episodes ended. */
import type { Tally, TallyCount } from "../../ports/store.ts";
import { type Database, sql, type Statement } from "./driver.ts";
import { countBy, indexable } from "./texts.ts";

type Column = "succeeded" | "failed" | "unknown";

export function columnOf(success: boolean | null): Column {
  return success === null ? "unknown" : success ? "succeeded" : "failed";
}

export interface EpisodeTally extends Tally {
  readonly success: boolean | null;
}

export function add(tenantId: string, tallies: readonly EpisodeTally[]): Statement<unknown>[] {
  return change(tallies, (topics, keyKeys, keys, [succeeded, failed, unknown]) => [
    sql(
      `INSERT INTO tally (tenant_id, topic, key_key, key, succeeded, failed, unknown)
       SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[])
       ON CONFLICT (tenant_id, topic, key_key) DO UPDATE SET succeeded = tally.succeeded + excluded.succeeded,
         failed = tally.failed + excluded.failed, unknown = tally.unknown + excluded.unknown`,
      tenantId,
      topics,
      keyKeys,
      keys,
      succeeded,
      failed,
      unknown,
    ),
  ]);
}

export function takeBack(tenantId: string, tallies: readonly EpisodeTally[]): Statement<unknown>[] {
  return change(tallies, (topics, keyKeys, _, [succeeded, failed, unknown]) => [
    sql(
      `UPDATE tally t SET succeeded = t.succeeded - d.succeeded, failed = t.failed - d.failed,
         unknown = t.unknown - d.unknown
       FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
         AS d (topic, key_key, succeeded, failed, unknown)
       WHERE t.tenant_id = $1 AND t.topic = d.topic AND t.key_key = d.key_key`,
      tenantId,
      topics,
      keyKeys,
      succeeded,
      failed,
      unknown,
    ),
    sql(
      `DELETE FROM tally t USING unnest($2::text[], $3::text[]) AS d (topic, key_key)
       WHERE t.tenant_id = $1 AND t.topic = d.topic AND t.key_key = d.key_key
         AND t.succeeded <= 0 AND t.failed <= 0 AND t.unknown <= 0`,
      tenantId,
      topics,
      keyKeys,
    ),
  ]);
}

type Counts = readonly [succeeded: number[], failed: number[], unknown: number[]];

/** One row a counter, however often an episode counts under it. */
function change(
  tallies: readonly EpisodeTally[],
  statements: (topics: string[], keyKeys: string[], keys: string[], counts: Counts) => Statement<unknown>[],
): Statement<unknown>[] {
  if (tallies.length === 0) return [];
  const nameOf = ({ topic, key }: Tally) => JSON.stringify([indexable(topic), indexable(key)]);
  const rows = countBy(tallies, nameOf).map(({ item }) => item);
  const counted = (["succeeded", "failed", "unknown"] as const).map((column) => {
    const counts = new Map(
      countBy(
        tallies.filter(({ success }) => columnOf(success) === column),
        nameOf,
      ).map(({ item, count }) => [nameOf(item), count]),
    );
    return rows.map((row) => counts.get(nameOf(row)) ?? 0);
  });
  const [succeeded = [], failed = [], unknown = []] = counted;
  return statements(
    rows.map(({ topic }) => indexable(topic)),
    rows.map(({ key }) => indexable(key)),
    rows.map(({ key }) => key),
    [succeeded, failed, unknown],
  );
}

export async function read(
  db: Database,
  tenantId: string,
  topic: string,
  keys: readonly string[] | null,
): Promise<TallyCount[]> {
  return db.tenant(tenantId).all<TallyCount>(
    `SELECT key, succeeded, failed, unknown FROM tally
     WHERE tenant_id = $1 AND topic = $2 AND ($3::text[] IS NULL OR key_key = ANY ($3)) ORDER BY key`,
    tenantId,
    indexable(topic),
    keys?.map(indexable) ?? null,
  );
}
