import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from "@photostructure/sqlite";
import { SetupError, StoreUnavailable } from "../../domain/errors.ts";

/** One connection. The only file that knows which SQLite driver is used. */
export class Database {
  readonly #connection: DatabaseSyncInstance;
  readonly #statements = new Map<string, StatementSyncInstance>();

  constructor(file: string, options: { readonly readOnly: boolean }) {
    this.#connection = new DatabaseSync(file, { readOnly: options.readOnly });
    this.#connection.exec("PRAGMA busy_timeout = 10000");
    if (options.readOnly) return;
    // FULL: a commit is on disk when it returns. secure_delete: what is deleted is overwritten, not just unlinked.
    this.#connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON");
  }

  get inTransaction(): boolean {
    return this.#connection.isTransaction;
  }

  exec(sql: string): void {
    this.#connection.exec(sql);
  }

  get<Row>(sql: string, ...parameters: readonly Value[]): Row | undefined {
    return this.#prepare(sql).get(...parameters.map(storable)) as Row | undefined;
  }

  all<Row>(sql: string, ...parameters: readonly Value[]): Row[] {
    return this.#prepare(sql).all(...parameters.map(storable)) as Row[];
  }

  /** Answers how many rows were changed. */
  run(sql: string, ...parameters: readonly Value[]): number {
    return this.#prepare(sql).run(...parameters.map(storable)).changes;
  }

  close(): void {
    this.#statements.clear();
    this.#connection.close();
  }

  /** Statements are literals of our own code, so the cache is as small as the code. */
  #prepare(sql: string): StatementSyncInstance {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** SQLite would end a text at U+0000. */
function storable(value: Value): Value {
  return typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\uFFFD") : value;
}

export type Value = string | number | null | Uint8Array;

export function openDatabase(file: string, options: { readonly readOnly: boolean }): Database {
  try {
    return new Database(file, options);
  } catch (cause) {
    throw new SetupError(`cannot open the database ${file}: ${messageOf(cause)}`, { cause });
  }
}

/** SQLite's own codes for "not now": busy, locked, read-only, disk I/O error, disk full, cannot open. */
const PASSING = new Set([5, 6, 8, 10, 13, 14]);

/** Gives an error of the driver the class that the rest of the service understands. */
export function translate(error: unknown): Error {
  const code = (error as { errcode?: unknown }).errcode;
  if (typeof code === "number" && PASSING.has(code & 0xff)) {
    return new StoreUnavailable(`SQLite: ${messageOf(error)}`, { cause: error });
  }
  return error instanceof Error ? error : new Error(messageOf(error));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
