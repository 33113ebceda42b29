/** Counters by topic and key, by how episodes ended. */
import type { Tally, TallyCount } from "../../ports/store.ts";
import type { Database } from "./driver.ts";

type Column = "succeeded" | "failed" | "unknown";

export function columnOf(success: boolean | null): Column {
  return success === null ? "unknown" : success ? "succeeded" : "failed";
}

export function add(
  db: Database,
  tenantId: string,
  tallies: readonly Tally[],
  success: boolean | null,
): void {
  const column = columnOf(success);
  for (const { topic, key } of tallies) {
    db.run(
      `INSERT INTO tally (tenant_id, topic, key, succeeded, failed, unknown) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET ${column} = ${column} + 1`,
      tenantId,
      topic,
      key,
      Number(column === "succeeded"),
      Number(column === "failed"),
      Number(column === "unknown"),
    );
  }
}

export function takeBack(
  db: Database,
  tenantId: string,
  tallies: readonly Tally[],
  success: boolean | null,
): void {
  const column = columnOf(success);
  for (const { topic, key } of tallies) {
    db.run(
      `UPDATE tally SET ${column} = ${column} - 1 WHERE tenant_id = ? AND topic = ? AND key = ?`,
      tenantId,
      topic,
      key,
    );
    db.run(
      `DELETE FROM tally WHERE tenant_id = ? AND topic = ? AND key = ?
       AND succeeded <= 0 AND failed <= 0 AND unknown <= 0`,
      tenantId,
      topic,
      key,
    );
  }
}

export function read(
  db: Database,
  { tenantId, topic, keys }: { tenantId: string; topic: string; keys: readonly string[] | null },
): TallyCount[] {
  if (keys === null) {
    return db.all<TallyCount>(
      "SELECT key, succeeded, failed, unknown FROM tally WHERE tenant_id = ? AND topic = ? ORDER BY key",
      tenantId,
      topic,
    );
  }
  const found = db.all<TallyCount>(
    `SELECT tally.key, succeeded, failed, unknown FROM json_each(?) AS wanted
     CROSS JOIN tally ON tenant_id = ? AND topic = ? AND tally.key = wanted.value`,
    JSON.stringify([...new Set(keys)]),
    tenantId,
    topic,
  );
  return found.sort((a, b) => (a.key < b.key ? -1 : 1));
}
