import { SetupError } from "../../domain/errors.ts";
import type { Database, Transaction } from "./driver.ts";
import { sql } from "./driver.ts";
import { requireVector } from "./server.ts";

/**
 * Row-level security, the second wall: whatever a statement asks for, it gets only the rows of the tenant that its
 * transaction has named, and none where it has named none. `force` binds the tables' owner too.
 */
const wall = (table: string) => `
  ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
  ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
  CREATE POLICY ${table}_wall ON ${table} USING (
    tenant_id = (SELECT nullif(current_setting('whetstone.tenant', true), ''))
    OR (SELECT current_setting('whetstone.across', true)) = 'on');
`;

/**
 * Numbered steps from an empty database to today's schema. A step that was ever released is never changed; a new one
 * is added. tenant_id comes first in every key and index (but those that a comment names), and no row refers to
 * another tenant's. "C" orders texts by their bytes, as SQLite does. Where a name or a value that may be long is part
 * of a key, the key holds `indexable` of it.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE tenant (
    tenant_id  text COLLATE "C" PRIMARY KEY,
    name       text NOT NULL,
    created_at bigint NOT NULL,
    settings   text NOT NULL DEFAULT '{}',
    -- moves with every change of the tenant's intents; whoever moves it holds off the tenant's other writers
    version    bigint NOT NULL DEFAULT 0,
    -- how many shapes it has
    shapes     bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 70);

  CREATE TABLE api_key (
    tenant_id  text COLLATE "C" NOT NULL,
    key_id     text COLLATE "C" NOT NULL,
    hash       text COLLATE "C" NOT NULL,
    last_four  text NOT NULL,
    label      text NOT NULL,
    created_at bigint NOT NULL,
    revoked_at bigint,
    PRIMARY KEY (tenant_id, key_id)
  );
  -- the one look-up that starts without a tenant
  CREATE INDEX api_key_by_hash ON api_key (hash);

  CREATE TABLE job (
    tenant_id    text COLLATE "C" NOT NULL,
    job_id       text COLLATE "C" NOT NULL,
    state        text COLLATE "C" NOT NULL CHECK (state IN ('queued', 'running', 'completed', 'failed')),
    created_at   bigint NOT NULL,
    started_at   bigint,
    ended_at     bigint,
    run_after    bigint NOT NULL,
    attempt      integer NOT NULL DEFAULT 0,
    failures     integer NOT NULL DEFAULT 0,
    crashes      integer NOT NULL DEFAULT 0,
    worker       text,
    lease_until  bigint,
    payload      bytea,
    sealed_error text,
    outcome      text,
    PRIMARY KEY (tenant_id, job_id)
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
  -- encrypted, so it cannot be compressed
  ALTER TABLE job ALTER payload SET STORAGE EXTERNAL;
  CREATE INDEX job_waiting ON job (tenant_id, run_after, job_id) WHERE state = 'queued';
  CREATE INDEX job_running ON job (tenant_id, job_id) WHERE state = 'running';
  CREATE INDEX job_failed  ON job (tenant_id, job_id) WHERE state = 'failed';
  -- across tenants: maintenance
  CREATE INDEX job_ended   ON job (ended_at, tenant_id, state) WHERE ended_at IS NOT NULL;

  -- tenants that have work, in the order in which they take turns
  CREATE TABLE lane (
    tenant_id text COLLATE "C" PRIMARY KEY,
    served    bigint NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0.02);
  -- across tenants: the claim of the next job
  CREATE INDEX lane_order ON lane (served, tenant_id);

  CREATE TABLE idempotency (
    tenant_id  text COLLATE "C" NOT NULL,
    key_hash   text COLLATE "C" NOT NULL,
    body_hash  text COLLATE "C" NOT NULL,
    job_id     text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, key_hash)
  );
  -- across tenants: maintenance
  CREATE INDEX idempotency_age ON idempotency (created_at);

  CREATE TABLE intent (
    tenant_id text COLLATE "C" NOT NULL,
    intent_id text COLLATE "C" NOT NULL,
    text      text NOT NULL,
    space     text COLLATE "C" NOT NULL,
    vector    vector NOT NULL,
    episodes  bigint NOT NULL,
    PRIMARY KEY (tenant_id, intent_id)
  );

  CREATE TABLE shape (
    tenant_id text COLLATE "C" NOT NULL,
    shape_id  text COLLATE "C" NOT NULL,
    family_id text COLLATE "C" NOT NULL,
    text      text NOT NULL,
    words     text[] COLLATE "C" NOT NULL,
    space     text COLLATE "C" NOT NULL,
    vector    vector NOT NULL,
    episodes  bigint NOT NULL,
    -- the tenant's version when it came: orders shapes, and names them in short
    version   bigint NOT NULL,
    PRIMARY KEY (tenant_id, shape_id)
  );
  CREATE UNIQUE INDEX shape_version ON shape (tenant_id, version) INCLUDE (space);
  -- kept in the row as far as a page allows: a search reads them all
  ALTER TABLE intent ALTER vector SET STORAGE MAIN;
  ALTER TABLE shape  ALTER vector SET STORAGE MAIN;

  -- which shapes have a word
  CREATE TABLE shape_word (
    tenant_id text COLLATE "C" NOT NULL,
    word      text COLLATE "C" NOT NULL,
    version   bigint NOT NULL,
    PRIMARY KEY (tenant_id, word, version)
  );
  -- how many do
  CREATE TABLE word (
    tenant_id text COLLATE "C" NOT NULL,
    word      text COLLATE "C" NOT NULL,
    shapes    bigint NOT NULL,
    PRIMARY KEY (tenant_id, word)
  ) WITH (fillfactor = 80);

  CREATE TABLE episode (
    tenant_id   text COLLATE "C" NOT NULL,
    episode_id  text COLLATE "C" NOT NULL,
    intent_id   text COLLATE "C" NOT NULL,
    shape_id    text COLLATE "C" NOT NULL,
    family_id   text COLLATE "C" NOT NULL,
    -- null: not known
    success     boolean,
    created_at  bigint NOT NULL,
    -- what it was counted under, so that forgetting it counts back
    tallies     text NOT NULL,
    interaction text NOT NULL,
    PRIMARY KEY (tenant_id, episode_id)
  );
  CREATE INDEX episode_intent ON episode (tenant_id, intent_id, episode_id);

  CREATE TABLE insight (
    tenant_id    text COLLATE "C" NOT NULL,
    insight_id   text COLLATE "C" NOT NULL,
    kind         text COLLATE "C" NOT NULL,
    applies_when text NOT NULL,
    topics       text NOT NULL,
    structure    text NOT NULL,
    created_at   bigint NOT NULL,
    last_seen_at bigint NOT NULL,
    -- episodes by how they ended; always what counting the evidence would give
    succeeded    bigint NOT NULL DEFAULT 0,
    failed       bigint NOT NULL DEFAULT 0,
    unknown      bigint NOT NULL DEFAULT 0,
    against      bigint NOT NULL DEFAULT 0,
    retired_at   bigint,
    retired_why  text,
    PRIMARY KEY (tenant_id, insight_id)
  ) WITH (fillfactor = 80);

  CREATE TABLE insight_topic (
    tenant_id  text COLLATE "C" NOT NULL,
    -- indexable
    topic      text COLLATE "C" NOT NULL,
    insight_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, topic, insight_id)
  );

  CREATE TABLE insight_value (
    tenant_id  text COLLATE "C" NOT NULL,
    insight_id text COLLATE "C" NOT NULL,
    -- indexable of the value
    value_key  text COLLATE "C" NOT NULL,
    value      text COLLATE "C" NOT NULL,
    count      bigint NOT NULL,
    PRIMARY KEY (tenant_id, insight_id, value_key)
  ) WITH (fillfactor = 80);

  CREATE TABLE evidence (
    tenant_id  text COLLATE "C" NOT NULL,
    insight_id text COLLATE "C" NOT NULL,
    episode_id text COLLATE "C" NOT NULL,
    stance     text COLLATE "C" NOT NULL CHECK (stance IN ('for', 'against')),
    -- indexable of the value
    value_key  text COLLATE "C" NOT NULL,
    -- '' where the insight is no question
    value      text COLLATE "C" NOT NULL,
    turn_from  integer NOT NULL,
    turn_to    integer NOT NULL,
    PRIMARY KEY (tenant_id, insight_id, episode_id, stance, value_key)
  );
  CREATE INDEX evidence_episode ON evidence (tenant_id, episode_id);

  CREATE TABLE tally (
    tenant_id text COLLATE "C" NOT NULL,
    -- indexable
    topic     text COLLATE "C" NOT NULL,
    -- indexable of the key
    key_key   text COLLATE "C" NOT NULL,
    key       text COLLATE "C" NOT NULL,
    succeeded bigint NOT NULL,
    failed    bigint NOT NULL,
    unknown   bigint NOT NULL,
    PRIMARY KEY (tenant_id, topic, key_key)
  ) WITH (fillfactor = 80);
  ` +
    ["tenant", "api_key", "job", "lane", "idempotency", "intent", "shape", "shape_word", "word", "episode"]
      .concat(["insight", "insight_topic", "insight_value", "evidence", "tally"])
      .map(wall)
      .join(""),
  `
  CREATE TABLE enhancement (
    tenant_id      text COLLATE "C" NOT NULL,
    enhancement_id text COLLATE "C" NOT NULL,
    at             bigint NOT NULL,
    request_hash   text COLLATE "C" NOT NULL,
    agent_type     text COLLATE "C" NOT NULL,
    family_id      text COLLATE "C" NOT NULL,
    arm            text COLLATE "C" NOT NULL CHECK (arm IN ('shown', 'held out', 'abstained')),
    propensity     double precision NOT NULL,
    -- the outcome, once it is told
    score          double precision,
    inferred       boolean,
    turns          integer,
    told_at        bigint,
    source         text COLLATE "C",
    note           text,
    PRIMARY KEY (tenant_id, enhancement_id)
  ) WITH (fillfactor = 80);
  CREATE INDEX enhancement_request ON enhancement (tenant_id, request_hash, at);
  -- across tenants: maintenance
  CREATE INDEX enhancement_age ON enhancement (at);

  CREATE TABLE exposure (
    tenant_id       text COLLATE "C" NOT NULL,
    enhancement_id  text COLLATE "C" NOT NULL,
    insight_id      text COLLATE "C" NOT NULL,
    kind            text COLLATE "C" NOT NULL,
    at              bigint NOT NULL,
    shown           boolean NOT NULL,
    propensity      double precision NOT NULL,
    counts          boolean NOT NULL,
    speaks_for_kind boolean NOT NULL,
    -- the enhancement's, so that insights are counted without looking there
    score           double precision,
    inferred        boolean,
    turns           integer,
    PRIMARY KEY (tenant_id, enhancement_id, insight_id)
  ) WITH (fillfactor = 80);
  CREATE INDEX exposure_told ON exposure (tenant_id, insight_id, at) WHERE score IS NOT NULL;
  -- across tenants: maintenance
  CREATE INDEX exposure_age ON exposure (at);

  CREATE TABLE ruling (
    tenant_id  text COLLATE "C" NOT NULL,
    insight_id text COLLATE "C" NOT NULL,
    at         bigint NOT NULL,
    decision   text COLLATE "C" NOT NULL CHECK (decision IN ('retire', 'restore')),
    why        text NOT NULL,
    PRIMARY KEY (tenant_id, insight_id, at)
  );
  ` + ["enhancement", "exposure", "ruling"].map(wall).join(""),
];

/** The newest schema this program knows. */
const NEWEST = MIGRATIONS.length;

/** Any number will do, as long as every Whetstone uses the same. */
const MIGRATION_LOCK = sql("SELECT pg_advisory_xact_lock(7793, 1)");

/** Brings the schema up to date; each step is one transaction. Safe when several processes start at once. */
export async function migrate(db: Database): Promise<void> {
  while ((await versionOf(db)) < NEWEST) await db.across.slowTransaction(takeStep);
}

/** Refuses a schema that is not today's, without changing anything. */
export async function requireNewest(db: Database): Promise<void> {
  const version = await versionOf(db);
  if (version < NEWEST) {
    throw new SetupError(
      `the database has schema ${version}, older than this program's ${NEWEST}: run whetstone migrate`,
    );
  }
}

async function takeStep(transaction: Transaction): Promise<void> {
  await transaction.batch([
    MIGRATION_LOCK,
    sql("CREATE TABLE IF NOT EXISTS meta (name text PRIMARY KEY, value text NOT NULL)"),
  ]);
  const [{ rows }] = await transaction.batch([SCHEMA]);
  const version = schemaOf(rows);
  const step = MIGRATIONS[version];
  if (step === undefined) return;
  await requireVector(transaction);
  await transaction.batch([
    sql(step),
    sql(
      "INSERT INTO meta (name, value) VALUES ('schema', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      String(version + 1),
    ),
  ]);
}

const SCHEMA = sql<{ value: string }>("SELECT value FROM meta WHERE name = 'schema'");

async function versionOf(db: Database): Promise<number> {
  const [{ rows: tables }] = await db.across.batch([
    sql<{ there: boolean }>("SELECT to_regclass('meta') IS NOT NULL AS there"),
  ]);
  if (tables[0]?.there !== true) return 0;
  const [{ rows }] = await db.across.batch([SCHEMA]);
  return schemaOf(rows);
}

function schemaOf(rows: readonly { readonly value: string }[]): number {
  const version = Number(rows[0]?.value ?? 0);
  if (version > NEWEST) {
    throw new SetupError(
      `the database has schema ${version}, newer than this program's ${NEWEST}: run a newer Whetstone`,
    );
  }
  return version;
}
