/**
 * Every write by name. A write is a plain function of a connection and one argument that can be sent to another
 * thread; the writer runs it inside a transaction that it may share with others.
 */
import * as claims from "./claim.ts";
import type { Database } from "./driver.ts";
import * as insights from "./insights.ts";
import * as intents from "./intents.ts";
import * as jobs from "./jobs.ts";
import * as keys from "./keys.ts";
import * as knowledge from "./knowledge.ts";
import * as ledger from "./ledger.ts";

export const operations = {
  enqueue: jobs.enqueue,
  retryJob: jobs.retry,
  claim: claims.claim,
  reclaim: claims.reclaim,
  heartbeat: jobs.heartbeat,
  postpone: jobs.postpone,
  fail: jobs.fail,
  issueKey: keys.issueKey,
  revokeKey: keys.revokeKey,
  createTenant: keys.createTenant,
  setTenant: keys.setTenant,
  removeTenant: keys.removeTenant,
  claimSecret: keys.claimSecret,
  complete: knowledge.complete,
  forget: knowledge.forget,
  retire: insights.retire,
  placeInSpace: intents.placeInSpace,
  expire: knowledge.expire,
  recordEnhancement: ledger.record,
  tellOutcome: ledger.tell,
  inferOutcome: ledger.infer,
  recordRuling: ledger.rule,
  expireEnhancements: ledger.expire,
  // reads that go over many rows: here they hold up no request, and see whatever was recorded before
  ledgerCells: ledger.cells,
  ledgerCoverage: ledger.coverage,
  ledgerNotes: ledger.notes,
} as const;

export type Operations = typeof operations;
export type OperationName = keyof Operations;
export type Argument<Name extends OperationName> = Parameters<Operations[Name]>[1];
export type Result<Name extends OperationName> = ReturnType<Operations[Name]>;

export interface Write {
  readonly name: OperationName;
  readonly argument: unknown;
}

export type Written = { readonly result: unknown } | { readonly error: Error };

/**
 * Group commit: all writes that have gathered share one transaction, and so one wait for the disk. Each stands in a
 * savepoint of its own, so that one that fails takes no other with it. Nobody is answered before the commit.
 */
export function writeAll(db: Database, writes: readonly Write[]): Written[] {
  try {
    db.exec("BEGIN IMMEDIATE");
    const written = writes.map((write) => writeOne(db, write));
    db.exec("COMMIT");
    return written;
  } catch (error) {
    rollBack(db);
    return writes.map(() => ({ error: error as Error }));
  }
}

function writeOne(db: Database, { name, argument }: Write): Written {
  db.run("SAVEPOINT one");
  try {
    const run = operations[name] as (db: Database, argument: unknown) => unknown;
    const result = run(db, argument);
    db.run("RELEASE one");
    return { result };
  } catch (error) {
    // a full disk rolls the whole transaction back by itself: then nothing of the batch may be acknowledged
    if (!db.inTransaction) throw error;
    db.exec("ROLLBACK TO one");
    db.run("RELEASE one");
    return { error: error as Error };
  }
}

/** Where even that fails the connection is of no more use, and the next BEGIN says so. */
function rollBack(db: Database): void {
  try {
    if (db.inTransaction) db.exec("ROLLBACK");
  } catch {
    // the error that led here is the one to tell
  }
}
