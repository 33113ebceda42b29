/** What the server must be able to do, and what to do about one that cannot. */
import { SetupError } from "../../domain/errors.ts";
import type { Database, Transaction } from "./driver.ts";
import { sql } from "./driver.ts";

export interface ServerFacts {
  /** As PostgreSQL numbers itself: 170011. */
  readonly version: number;
  /** The version of pgvector in this database; null where it has not been made. */
  readonly vector: string | null;
  /** Whether row-level security holds for the service's role: it does not for superusers. */
  readonly walled: boolean;
}

export async function readFacts(db: Database): Promise<ServerFacts> {
  const facts = await db.across.get<ServerFacts>(
    `SELECT current_setting('server_version_num')::int AS version,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS vector,
       (SELECT NOT (rolsuper OR rolbypassrls) FROM pg_roles WHERE rolname = current_user) AS walled`,
  );
  if (facts === undefined) throw new Error("PostgreSQL says nothing about itself");
  return facts;
}

const OLDEST_SERVER = 150000;
const OLDEST_VECTOR = [0, 8] as const;

export function requireServer({ version, vector }: ServerFacts): void {
  if (version < OLDEST_SERVER) {
    const major = Math.floor(version / 10_000);
    throw new SetupError(
      `the server is PostgreSQL ${major}: Whetstone needs version 15 or newer, so upgrade it`,
    );
  }
  if (vector === null) return;
  const [major = 0, minor = 0] = vector.split(".").map(Number);
  if (major < OLDEST_VECTOR[0] || (major === OLDEST_VECTOR[0] && minor < OLDEST_VECTOR[1])) {
    throw new SetupError(
      `the database has pgvector ${vector}: install 0.8 or newer and run ALTER EXTENSION vector UPDATE in it`,
    );
  }
}

/** Makes the extension where it is not there yet and the role may; only superusers may, on most servers. */
export async function requireVector(transaction: Transaction): Promise<void> {
  const [{ rows }] = await transaction.batch([
    sql<{ made: boolean; offered: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'vector') AS made,
         EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector') AS offered`,
    ),
  ]);
  if (rows[0]?.made === true) return;
  if (rows[0]?.offered !== true) {
    throw new SetupError(
      "the server has no pgvector: install it there (Debian and Ubuntu: postgresql-17-pgvector)",
    );
  }
  await transaction.batch([sql("CREATE EXTENSION vector")]).catch((cause: unknown) => {
    throw new SetupError(
      "the database has no extension vector, and this role may not make it: let a superuser run CREATE EXTENSION vector in it",
      { cause },
    );
  });
}
