/** Enhancements with what they showed and what came of it. */
import {
  type Cell,
  type Coverage,
  type Division,
  type Enhancement,
  INFERRED_WITHIN_MS,
  INTO_WEEK_MS,
  type Ledger,
  MOST_TURNS,
  type Outcome,
  type OutcomeNote,
  type StoredRuling,
  type Told,
  WEEK_MS,
} from "../../ports/ledger.ts";
import { type Database, sql, type Statement, type Value } from "./driver.ts";

interface Recorded {
  readonly tenantId: string;
  readonly enhancement: Enhancement;
}

export function ledgerOver(db: Database): Ledger & { flushed(): Promise<void> } {
  const recorder = new Recorder((recorded) => recordAll(db, recorded));
  const after = async <T>(ask: () => Promise<T>): Promise<T> => {
    await recorder.flushed();
    return ask();
  };
  return {
    record: (tenantId, enhancement) => recorder.add({ tenantId, enhancement }),
    tell: (tenantId, enhancementId, outcome) => after(() => tell(db, tenantId, enhancementId, outcome)),
    infer: (tenantId, requestHash, outcome) => after(() => infer(db, tenantId, requestHash, outcome)),
    cells: (tenantId, division) => after(() => cells(db, tenantId, division)),
    coverage: (tenantId) => after(() => coverage(db, tenantId)),
    rulings: (tenantId, limit) => rulings(db, tenantId, limit),
    rule: (tenantId, ruling) => rule(db, tenantId, ruling),
    notes: (tenantId, limit) => after(() => notes(db, tenantId, limit)),
    expireAcrossTenants: (before) => expire(db, before),
    flushed: () => recorder.flushed(),
  };
}

/** Nothing is waited for while the server is away: beyond so many, the oldest are lost. */
const MOST_WAITING = 10_000;

/** Gathers what arrives while a commit is under way and writes it with the next. */
class Recorder {
  #waiting: Recorded[] = [];
  #writing: Promise<void> | null = null;
  readonly #write: (recorded: readonly Recorded[]) => Promise<void>;

  constructor(write: (recorded: readonly Recorded[]) => Promise<void>) {
    this.#write = write;
  }

  add(recorded: Recorded): void {
    this.#waiting.push(recorded);
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
    this.#writing ??= this.#writeAll();
  }

  async flushed(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await new Promise(setImmediate);
      const batch = this.#waiting;
      this.#waiting = [];
      // a server that is away costs both arms the same
      await this.#write(batch).catch(() => {});
    }
    this.#writing = null;
  }
}

async function recordAll(db: Database, recorded: readonly Recorded[]): Promise<void> {
  const rows = recorded.map(({ tenantId, enhancement }) => ({
    ...enhancement,
    tenantId,
    agentType: enhancement.agentType.replaceAll("\0", "\uFFFD"),
    exposures: undefined,
  }));
  const exposures = recorded.flatMap(({ tenantId, enhancement: { enhancementId, at, exposures: shown } }) =>
    shown.map((exposure) => ({ ...exposure, tenantId, enhancementId, at })),
  );
  await db.across.batch([
    sql("SET LOCAL synchronous_commit = off"),
    // an enhancement that was under way when its tenant was erased leaves nothing behind
    sql(
      `INSERT INTO enhancement
         (tenant_id, enhancement_id, at, request_hash, agent_type, family_id, arm, propensity)
       SELECT "tenantId", "enhancementId", at, "requestHash", "agentType", "familyId", arm, propensity
       FROM json_to_recordset($1::json) AS r ("tenantId" text, "enhancementId" text, at bigint,
         "requestHash" text, "agentType" text, "familyId" text, arm text, propensity double precision)
       WHERE EXISTS (SELECT 1 FROM tenant t WHERE t.tenant_id = "tenantId")
       ON CONFLICT (tenant_id, enhancement_id) DO NOTHING`,
      JSON.stringify(rows),
    ),
    sql(
      `INSERT INTO exposure
         (tenant_id, enhancement_id, insight_id, kind, at, shown, propensity, counts, speaks_for_kind)
       SELECT "tenantId", "enhancementId", "insightId", kind, at, shown, propensity, counts, "speaksForKind"
       FROM json_to_recordset($1::json) AS r ("tenantId" text, "enhancementId" text, "insightId" text, kind text,
         at bigint, shown boolean, propensity double precision, counts boolean, "speaksForKind" boolean)
       WHERE EXISTS (SELECT 1 FROM tenant t WHERE t.tenant_id = "tenantId")
       ON CONFLICT (tenant_id, enhancement_id, insight_id) DO NOTHING`,
      JSON.stringify(exposures),
    ),
  ]);
}

interface OutcomeRow {
  readonly score: number | null;
  readonly inferred: boolean | null;
  readonly turns: number | null;
  readonly told_at: number | null;
}

async function tell(db: Database, tenantId: string, enhancementId: string, outcome: Outcome): Promise<Told> {
  return db.tenant(tenantId).transaction(async (transaction) => {
    const [{ rows }] = await transaction.batch([
      sql<OutcomeRow>(
        `SELECT score, inferred, turns, told_at FROM enhancement
         WHERE tenant_id = $1 AND enhancement_id = $2 FOR UPDATE`,
        tenantId,
        enhancementId,
      ),
    ]);
    const [known] = rows;
    if (known === undefined) return "unknown";
    const isExplicit = known.score !== null && known.inferred === false;
    if (isExplicit && (known.told_at ?? 0) > outcome.at) return "outdated";
    const turns = outcome.turns ?? known.turns;
    await transaction.last(
      setOutcome({ tenantId, enhancementId, outcome: { ...outcome, turns }, inferred: false }),
    );
    if (known.score === null) return "counted";
    return isExplicit && known.score === outcome.score ? "repeated" : "replaced";
  });
}

async function infer(
  db: Database,
  tenantId: string,
  requestHash: string,
  outcome: Outcome,
): Promise<boolean> {
  const from = outcome.at - INFERRED_WITHIN_MS;
  return db.tenant(tenantId).transaction(async (transaction) => {
    const [counted, newest] = await transaction.batch([
      sql(
        `SELECT 1 FROM enhancement
         WHERE tenant_id = $1 AND request_hash = $2 AND at BETWEEN $3 AND $4 AND source = $5`,
        tenantId,
        requestHash,
        from,
        outcome.at,
        outcome.source,
      ),
      // one that another upload is just being joined to is passed over
      sql<{ enhancement_id: string }>(
        `SELECT enhancement_id FROM enhancement
         WHERE tenant_id = $1 AND request_hash = $2 AND at BETWEEN $3 AND $4 AND score IS NULL
         ORDER BY at DESC, enhancement_id DESC LIMIT 1 FOR UPDATE SKIP LOCKED`,
        tenantId,
        requestHash,
        from,
        outcome.at,
      ),
    ]);
    const [row] = newest.rows;
    if (counted.count > 0 || row === undefined) return false;
    await transaction.last(
      setOutcome({ tenantId, enhancementId: row.enhancement_id, outcome, inferred: true }),
    );
    return true;
  });
}

interface Joined {
  readonly tenantId: string;
  readonly enhancementId: string;
  readonly outcome: Outcome;
  readonly inferred: boolean;
}

function setOutcome({ tenantId, enhancementId, outcome, inferred }: Joined): Statement<unknown>[] {
  const turns = outcome.turns === null ? null : Math.min(outcome.turns, MOST_TURNS);
  return [
    sql(
      `UPDATE enhancement SET score = $3, inferred = $4, turns = $5, told_at = $6, source = $7, note = coalesce($8, note)
       WHERE tenant_id = $1 AND enhancement_id = $2`,
      tenantId,
      enhancementId,
      outcome.score,
      inferred,
      turns,
      outcome.at,
      outcome.source,
      outcome.note,
    ),
    sql(
      `UPDATE exposure SET score = $3, inferred = $4, turns = $5 WHERE tenant_id = $1 AND enhancement_id = $2`,
      tenantId,
      enhancementId,
      outcome.score,
      inferred,
      turns,
    ),
  ];
}

const SUMS = `count(*) AS n, sum(score) AS sum, sum(score * score) AS squares,
  count(turns) FILTER (WHERE score = 1) AS turns_n,
  coalesce(sum(turns) FILTER (WHERE score = 1), 0)::double precision AS turns_sum,
  coalesce(sum(turns * turns) FILTER (WHERE score = 1), 0)::double precision AS turns_squares`;
const SPLIT = "inferred, propensity, shown";

const WEEK = `at - (at + ${INTO_WEEK_MS}) % ${WEEK_MS}`;

const ENHANCEMENT_KEYS = {
  tenant: "''::text",
  "agent type": "agent_type",
  family: "family_id",
  week: `(${WEEK})::text`,
} as const;

async function cells(db: Database, tenantId: string, division: Division): Promise<Cell[]> {
  const ask = async (from: string, ...values: Value[]) => {
    const rows = await db.tenant(tenantId).all<CellRow>(
      `SELECT key, kind, ${SPLIT}, ${SUMS} FROM (${from}) AS told
         GROUP BY key, kind, ${SPLIT} ORDER BY key COLLATE "C", kind, ${SPLIT}`,
      ...values,
    );
    return rows.map(cellOf);
  };
  if (division.by === "insight") {
    const { since = 0, insightId = null, observed = false } = division;
    return ask(
      `SELECT insight_id AS key, kind, ${SPLIT}, score, turns FROM exposure
       WHERE tenant_id = $1 AND score IS NOT NULL AND at >= $2 AND ($3::text IS NULL OR insight_id = $3)
         AND ${observed ? "NOT counts AND shown" : "counts"}`,
      tenantId,
      since,
      insightId,
    );
  }
  if (division.by === "kind") {
    return ask(
      `SELECT kind AS key, kind, ${SPLIT}, score, turns FROM exposure
       WHERE tenant_id = $1 AND score IS NOT NULL AND speaks_for_kind`,
      tenantId,
    );
  }
  return ask(
    `SELECT ${ENHANCEMENT_KEYS[division.by]} AS key, ''::text AS kind, inferred, propensity, arm = 'shown' AS shown,
       score, turns
     FROM enhancement WHERE tenant_id = $1 AND score IS NOT NULL AND arm <> 'abstained'`,
    tenantId,
  );
}

interface CellRow {
  readonly key: string;
  readonly kind: string;
  readonly inferred: boolean;
  readonly propensity: number;
  readonly shown: boolean;
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
    inferred: row.inferred,
    propensity: row.propensity,
    shown: row.shown,
    n: row.n,
    sum: row.sum,
    sumOfSquares: row.squares,
    turns: { n: row.turns_n, sum: row.turns_sum, sumOfSquares: row.turns_squares },
  };
}

async function coverage(db: Database, tenantId: string): Promise<Coverage[]> {
  return db.tenant(tenantId).all<Coverage>(
    `SELECT ${WEEK} AS week, arm, count(*) AS enhancements, count(score) AS outcomes
     FROM enhancement WHERE tenant_id = $1 GROUP BY 1, 2 ORDER BY 1, 2`,
    tenantId,
  );
}

async function rulings(db: Database, tenantId: string, limit: number): Promise<StoredRuling[]> {
  return db.tenant(tenantId).all<StoredRuling>(
    `SELECT at, insight_id AS "insightId", decision, why FROM ruling WHERE tenant_id = $1
     ORDER BY at DESC, insight_id LIMIT $2`,
    tenantId,
    limit,
  );
}

async function rule(db: Database, tenantId: string, ruling: StoredRuling): Promise<void> {
  await db.tenant(tenantId).run(
    `INSERT INTO ruling (tenant_id, insight_id, at, decision, why) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (tenant_id, insight_id, at) DO NOTHING`,
    tenantId,
    ruling.insightId,
    ruling.at,
    ruling.decision,
    ruling.why,
  );
}

async function notes(db: Database, tenantId: string, limit: number): Promise<OutcomeNote[]> {
  return db.tenant(tenantId).all<OutcomeNote>(
    `SELECT told_at AS at, enhancement_id AS "enhancementId", score, note FROM enhancement
     WHERE tenant_id = $1 AND note IS NOT NULL ORDER BY told_at DESC, enhancement_id LIMIT $2`,
    tenantId,
    limit,
  );
}

const MOST_EXPIRED = 5_000;

async function expire(db: Database, before: number): Promise<void> {
  for (const [table, key] of [
    ["exposure", "tenant_id, enhancement_id, insight_id"],
    ["enhancement", "tenant_id, enhancement_id"],
  ] as const) {
    const remove = () =>
      db.across.run(
        `DELETE FROM ${table} WHERE (${key}) IN (
           SELECT ${key} FROM ${table} WHERE at < $1 LIMIT ${MOST_EXPIRED} FOR UPDATE SKIP LOCKED)`,
        before,
      );
    while ((await remove()) === MOST_EXPIRED);
  }
}
