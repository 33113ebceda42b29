/**
 * Connections, statements and transactions. The only file that runs anything on PostgreSQL.
 *
 * Every statement runs inside a transaction that names whose rows it may see: row-level security reads that name, and
 * without one nothing is seen at all. A transaction whose statements are known beforehand is one round trip: `BEGIN`,
 * the name, the statements and `COMMIT` are sent together, and where one fails the rest is refused by the server.
 */
import { Client, type ClientBase, type ClientConfig, DatabaseError, Pool, type PoolClient, types } from "pg";
import { StoreUnavailable } from "../../domain/errors.ts";
import { translate } from "./failures.ts";

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** How long to wait for a connection, a new one or one of the pool's. */
  readonly connectTimeoutMs: number;
  /** How long one statement may run. */
  readonly statementTimeoutMs: number;
}

export type Value = string | number | boolean | null | Uint8Array | readonly (string | number | null)[];

/** A statement with its values, and the type of the rows it answers. */
export interface Statement<Row> {
  readonly text: string;
  readonly values: readonly Value[];
  /** Under which name a connection keeps it parsed and planned; absent: it does not. */
  readonly name?: string;
  readonly row?: Row;
}

interface Answer<Row> {
  readonly rows: Row[];
  /** Rows read, or changed. */
  readonly count: number;
}

export type Answers<Statements extends readonly Statement<unknown>[]> = {
  -readonly [K in keyof Statements]: Statements[K] extends Statement<infer Row> ? Answer<Row> : never;
};

/** Statements are literals of our own code, so there are as many names as the code has statements. */
const names = new Map<string, string>();

/** A statement that every connection parses once: most of the work of a small one is to parse and plan it. */
export function sql<Row = unknown>(text: string, ...values: readonly Value[]): Statement<Row> {
  // without values it may be several, which go without a plan
  if (values.length === 0) return { text, values };
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `whetstone_${names.size}`));
  return { text, values: values.map(storable), name };
}

/** A statement that is planned with its values at hand, each time anew: where the best plan depends on them. */
export function sqlPlannedAnew<Row = unknown>(text: string, ...values: readonly Value[]): Statement<Row> {
  return { text, values: values.map(storable) };
}

/**
 * PostgreSQL stores every character but U+0000, so that one becomes U+FFFD. It does so here, where every value passes
 * on its way out, so that a text is still found by the text that was stored.
 */
function storable(value: Value): Value {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\uFFFD") : value;
  if (!Array.isArray(value)) return value;
  return value.map((one: string | number | null) => storable(one) as string | number | null);
}

export class Database {
  readonly #pool: Pool;
  readonly #config: ClientConfig;
  /** After a failure to connect nobody tries before this moment, so that a server that comes back is not stormed. */
  #restUntil = 0;
  #failures = 0;

  constructor({ url, poolSize, connectTimeoutMs, statementTimeoutMs }: DatabaseOptions) {
    this.#config = {
      connectionString: url,
      application_name: "whetstone",
      connectionTimeoutMillis: connectTimeoutMs,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: 2 * statementTimeoutMs,
      // a server that went away without a word never answers: the connection is given up soon after the server would have
      query_timeout: statementTimeoutMs + 1_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      pipeline: true,
      types: { getTypeParser: parserOf },
    };
    this.#pool = new Pool({ ...this.#config, max: poolSize, idleTimeoutMillis: 60_000 });
    // a connection that breaks while nobody uses it has been taken out of the pool already
    this.#pool.on("error", () => {});
  }

  /** Sees and changes the rows of one tenant. */
  tenant(tenantId: string): Scope {
    return new Scope(this, sql("SELECT set_config('whetstone.tenant', $1, true)", tenantId));
  }

  /** Sees and changes the rows of all: for the few calls whose names say so. */
  get across(): Scope {
    return new Scope(this, sql("SELECT set_config('whetstone.across', 'on', true)"));
  }

  /** Lends a connection; one on which anything went wrong is closed and not used again. */
  async lend<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let broken = false;
    const onError = () => void (broken = true);
    client.on("error", onError);
    try {
      return await work(client);
    } catch (error) {
      const isOver = error instanceof DatabaseError && error.severity !== "FATAL";
      broken ||= !isOver || client.getTransactionStatus() !== "I";
      throw translate(error);
    } finally {
      client.off("error", onError);
      client.release(broken);
    }
  }

  async #connect(): Promise<PoolClient> {
    if (Date.now() < this.#restUntil && this.#pool.idleCount === 0) {
      throw new StoreUnavailable("PostgreSQL cannot be reached at the moment");
    }
    try {
      const client = await this.#pool.connect();
      this.#failures = 0;
      return client;
    } catch (error) {
      const busy = this.#pool.totalCount >= this.#pool.options.max;
      if (!busy) this.#restUntil = Date.now() + restAfter(++this.#failures);
      throw translate(error);
    }
  }

  /** Lends a connection of its own, on which a statement may take as long as it takes. */
  async lendAlone<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.connectAlone();
    try {
      return await work(client);
    } catch (error) {
      throw translate(error);
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** A connection outside of the pool. The caller ends it. */
  async connectAlone(): Promise<Client> {
    const client = new Client({ ...this.#config, statement_timeout: 0, query_timeout: 0 });
    client.on("error", () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      throw translate(error);
    }
  }

  async ping(): Promise<void> {
    await this.lend((client) => client.query("SELECT 1"));
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** Waits double from try to try, and stay short enough to notice within seconds that the server is back. */
export function restAfter(failures: number): number {
  return Math.min(2_000, 50 * 2 ** Math.min(failures, 10)) * (0.75 + Math.random() / 4);
}

/** Runs statements that see the rows of one tenant, or, where it must be, of all. */
export class Scope {
  readonly #db: Database;
  readonly #name: Statement<unknown>;

  constructor(db: Database, name: Statement<unknown>) {
    this.#db = db;
    this.#name = name;
  }

  async all<Row>(text: string, ...values: readonly Value[]): Promise<Row[]> {
    const [answer] = await this.batch([sql<Row>(text, ...values)]);
    return answer.rows;
  }

  async get<Row>(text: string, ...values: readonly Value[]): Promise<Row | undefined> {
    const [row] = await this.all<Row>(text, ...values);
    return row;
  }

  /** Answers how many rows were changed. */
  async run(text: string, ...values: readonly Value[]): Promise<number> {
    const [answer] = await this.batch([sql(text, ...values)]);
    return answer.count;
  }

  /** All of the statements or none, in one round trip. */
  async batch<const Statements extends readonly Statement<unknown>[]>(
    statements: Statements,
  ): Promise<Answers<Statements>> {
    return this.#db.lend((client) => new Transaction(client, this.#name).last(statements));
  }

  /** For transactions in which one statement decides about the next. What `work` throws undoes it all. */
  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#db.lend((client) => this.#transact(client, work));
  }

  /** The same for work that may take minutes. */
  async slowTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#db.lendAlone((client) => this.#transact(client, work));
  }

  async #transact<T>(client: ClientBase, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const transaction = new Transaction(client, this.#name);
    try {
      const result = await work(transaction);
      await transaction.end("COMMIT");
      return result;
    } catch (error) {
      await transaction.end("ROLLBACK").catch(() => {});
      throw error;
    }
  }
}

export class Transaction {
  readonly #client: ClientBase;
  #opening: readonly Statement<unknown>[];
  #over = false;

  constructor(client: ClientBase, name: Statement<unknown>) {
    this.#client = client;
    this.#opening = [sql("BEGIN"), name];
  }

  /** Statements in one round trip; the first ones of a transaction bring its beginning along. */
  async batch<const Statements extends readonly Statement<unknown>[]>(
    statements: Statements,
  ): Promise<Answers<Statements>> {
    return this.#send(statements, []);
  }

  /** The same, committed in the same round trip. */
  async last<const Statements extends readonly Statement<unknown>[]>(
    statements: Statements,
  ): Promise<Answers<Statements>> {
    this.#over = true;
    return this.#send(statements, [sql("COMMIT")]);
  }

  /** Ends it where it began and has not ended yet. */
  async end(how: "COMMIT" | "ROLLBACK"): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    if (this.#opening.length === 0) await this.#client.query(how);
  }

  async #send<const Statements extends readonly Statement<unknown>[]>(
    statements: Statements,
    closing: readonly Statement<unknown>[],
  ): Promise<Answers<Statements>> {
    const opening = this.#opening;
    this.#opening = [];
    const sent = [...opening, ...statements, ...closing].map(({ values, ...statement }) =>
      this.#client.query<object, Value[]>({ ...statement, values: [...values] }),
    );
    const answers: Answer<unknown>[] = [];
    // those after the first that failed only say that the transaction is over
    for (const one of await Promise.allSettled(sent)) {
      if (one.status === "rejected") throw one.reason;
      answers.push({ rows: one.value.rows, count: one.value.rowCount ?? 0 });
    }
    return answers.slice(opening.length, opening.length + statements.length) as Answers<Statements>;
  }
}

const BIGINT = 20;

/** Milliseconds and counts fit a number. */
function parserOf(oid: number, format?: "text" | "binary"): (value: string) => unknown {
  if (oid === BIGINT) return Number;
  return (types.getTypeParser as (oid: number, format?: string) => (value: string) => unknown)(oid, format);
}
