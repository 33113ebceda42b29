import { SetupError } from "../../domain/errors.ts";
import type { Database } from "./driver.ts";

/**
 * Numbered steps from an empty file to today's schema. A step that was ever released is never changed; a new one is
 * added. tenant_id comes first in every key and index, and no row refers to another tenant's.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE tenant (
    tenant_id  TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    settings   TEXT NOT NULL DEFAULT '{}',
    -- moves with every change of the tenant's intents; epoch moves when one was taken away
    version    INTEGER NOT NULL DEFAULT 0,
    epoch      INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;

  CREATE TABLE api_key (
    tenant_id  TEXT NOT NULL,
    key_id     TEXT NOT NULL,
    hash       TEXT NOT NULL,
    last_four  TEXT NOT NULL,
    label      TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER,
    PRIMARY KEY (tenant_id, key_id)
  ) WITHOUT ROWID;
  -- the one look-up that starts without a tenant
  CREATE INDEX api_key_by_hash ON api_key (hash);

  CREATE TABLE job (
    tenant_id    TEXT NOT NULL,
    job_id       TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('queued', 'running', 'completed', 'failed')),
    created_at   INTEGER NOT NULL,
    started_at   INTEGER,
    ended_at     INTEGER,
    run_after    INTEGER NOT NULL,
    attempt      INTEGER NOT NULL DEFAULT 0,
    failures     INTEGER NOT NULL DEFAULT 0,
    crashes      INTEGER NOT NULL DEFAULT 0,
    worker       TEXT,
    lease_until  INTEGER,
    payload      BLOB,
    sealed_error TEXT,
    outcome      TEXT,
    PRIMARY KEY (tenant_id, job_id)
  );
  CREATE INDEX job_waiting ON job (tenant_id, run_after, job_id) WHERE state = 'queued';
  CREATE INDEX job_running ON job (lease_until) WHERE state = 'running';
  CREATE INDEX job_failed  ON job (tenant_id, job_id) WHERE state = 'failed';
  CREATE INDEX job_ended   ON job (ended_at) WHERE ended_at IS NOT NULL;

  -- tenants that have work, in the order in which they take turns
  CREATE TABLE lane (
    tenant_id TEXT PRIMARY KEY,
    served    INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX lane_order ON lane (served, tenant_id);

  CREATE TABLE idempotency (
    tenant_id  TEXT NOT NULL,
    key_hash   TEXT NOT NULL,
    body_hash  TEXT NOT NULL,
    job_id     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, key_hash)
  ) WITHOUT ROWID;
  CREATE INDEX idempotency_age ON idempotency (created_at);

  CREATE TABLE intent (
    tenant_id TEXT NOT NULL,
    intent_id TEXT NOT NULL,
    text      TEXT NOT NULL,
    space     TEXT NOT NULL,
    vector    BLOB NOT NULL,
    episodes  INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, intent_id)
  );

  CREATE TABLE shape (
    tenant_id TEXT NOT NULL,
    shape_id  TEXT NOT NULL,
    family_id TEXT NOT NULL,
    text      TEXT NOT NULL,
    words     TEXT NOT NULL,
    space     TEXT NOT NULL,
    vector    BLOB NOT NULL,
    episodes  INTEGER NOT NULL,
    version   INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, shape_id)
  );
  CREATE INDEX shape_version ON shape (tenant_id, version);

  CREATE TABLE episode (
    tenant_id   TEXT NOT NULL,
    episode_id  TEXT NOT NULL,
    intent_id   TEXT NOT NULL,
    shape_id    TEXT NOT NULL,
    family_id   TEXT NOT NULL,
    -- 1, 0, or null: not known
    success     INTEGER,
    created_at  INTEGER NOT NULL,
    -- what it was counted under, so that forgetting it counts back
    tallies     TEXT NOT NULL,
    interaction TEXT NOT NULL,
    PRIMARY KEY (tenant_id, episode_id)
  );
  CREATE INDEX episode_intent ON episode (tenant_id, intent_id, episode_id);

  CREATE TABLE insight (
    tenant_id    TEXT NOT NULL,
    insight_id   TEXT NOT NULL,
    kind         TEXT NOT NULL,
    applies_when TEXT NOT NULL,
    topics       TEXT NOT NULL,
    structure    TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    -- episodes by how they ended; always what counting the evidence would give
    succeeded    INTEGER NOT NULL DEFAULT 0,
    failed       INTEGER NOT NULL DEFAULT 0,
    unknown      INTEGER NOT NULL DEFAULT 0,
    against      INTEGER NOT NULL DEFAULT 0,
    retired_at   INTEGER,
    retired_why  TEXT,
    PRIMARY KEY (tenant_id, insight_id)
  );

  CREATE TABLE insight_topic (
    tenant_id  TEXT NOT NULL,
    topic      TEXT NOT NULL,
    insight_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, topic, insight_id)
  ) WITHOUT ROWID;

  CREATE TABLE insight_value (
    tenant_id  TEXT NOT NULL,
    insight_id TEXT NOT NULL,
    value      TEXT NOT NULL,
    count      INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, insight_id, value)
  ) WITHOUT ROWID;

  CREATE TABLE evidence (
    tenant_id  TEXT NOT NULL,
    insight_id TEXT NOT NULL,
    episode_id TEXT NOT NULL,
    stance     TEXT NOT NULL CHECK (stance IN ('for', 'against')),
    -- '' where the insight is no question
    value      TEXT NOT NULL,
    turn_from  INTEGER NOT NULL,
    turn_to    INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, insight_id, episode_id, stance, value)
  ) WITHOUT ROWID;
  CREATE INDEX evidence_episode ON evidence (tenant_id, episode_id);

  CREATE TABLE tally (
    tenant_id TEXT NOT NULL,
    topic     TEXT NOT NULL,
    key       TEXT NOT NULL,
    succeeded INTEGER NOT NULL,
    failed    INTEGER NOT NULL,
    unknown   INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, topic, key)
  ) WITHOUT ROWID;
  `,
  `
  CREATE TABLE enhancement (
    tenant_id      TEXT NOT NULL,
    enhancement_id TEXT NOT NULL,
    at             INTEGER NOT NULL,
    request_hash   TEXT NOT NULL,
    agent_type     TEXT NOT NULL,
    family_id      TEXT NOT NULL,
    arm            TEXT NOT NULL CHECK (arm IN ('shown', 'held out', 'abstained')),
    propensity     REAL NOT NULL,
    -- the outcome, once it is told
    score          REAL,
    inferred       INTEGER,
    turns          INTEGER,
    told_at        INTEGER,
    source         TEXT,
    note           TEXT,
    PRIMARY KEY (tenant_id, enhancement_id)
  ) WITHOUT ROWID;
  CREATE INDEX enhancement_request ON enhancement (tenant_id, request_hash, at);
  CREATE INDEX enhancement_age ON enhancement (at);

  CREATE TABLE exposure (
    tenant_id       TEXT NOT NULL,
    enhancement_id  TEXT NOT NULL,
    insight_id      TEXT NOT NULL,
    kind            TEXT NOT NULL,
    at              INTEGER NOT NULL,
    shown           INTEGER NOT NULL,
    propensity      REAL NOT NULL,
    counts          INTEGER NOT NULL,
    speaks_for_kind INTEGER NOT NULL,
    -- the enhancement's, so that insights are counted without looking there
    score           REAL,
    inferred        INTEGER,
    turns           INTEGER,
    PRIMARY KEY (tenant_id, enhancement_id, insight_id)
  ) WITHOUT ROWID;
  CREATE INDEX exposure_told ON exposure
    (tenant_id, insight_id, at, kind, counts, speaks_for_kind, inferred, propensity, shown, score, turns)
    WHERE score IS NOT NULL;
  CREATE INDEX exposure_age ON exposure (at);

  CREATE TABLE ruling (
    tenant_id  TEXT NOT NULL,
    insight_id TEXT NOT NULL,
    at         INTEGER NOT NULL,
    decision   TEXT NOT NULL CHECK (decision IN ('retire', 'restore')),
    why        TEXT NOT NULL,
    PRIMARY KEY (tenant_id, insight_id, at)
  ) WITHOUT ROWID;
  `,
];

/** Brings the schema up to date; each step is one transaction. Safe when several processes start at once. */
export function migrate(db: Database): void {
  for (;;) {
    db.exec("BEGIN IMMEDIATE");
    try {
      const { user_version: version } = db.get<{ user_version: number }>("PRAGMA user_version") ?? {
        user_version: 0,
      };
      if (version > MIGRATIONS.length) {
        throw new SetupError(
          `the database has schema ${version}, newer than this program's ${MIGRATIONS.length}: run a newer Whetstone`,
        );
      }
      const step = MIGRATIONS[version];
      if (step !== undefined) {
        db.exec(step);
        db.exec(`PRAGMA user_version = ${version + 1}`);
      }
      db.exec("COMMIT");
      if (step === undefined) return;
    } catch (error) {
      if (db.inTransaction) db.exec("ROLLBACK");
      throw error;
    }
  }
}
