/**
 * A real PostgreSQL with pgvector for the tests: `WHETSTONE_TEST_DATABASE_URL` (a superuser's URL) where it is set, or
 * one that the test run starts by itself. Every test gets a database of its own, owned by a role that is no superuser,
 * as the service's own role should be.
 */
import { createHash, randomBytes } from "node:crypto";
import { Client } from "pg";
import { onTestFinished } from "vitest";
import { sharedServer } from "./postgres-server.ts";

export interface PostgresForTests {
  /** Why there is none; the tests are skipped then. */
  readonly missing: string | null;
  /** An empty database that is gone when the test is over. */
  database(options?: DatabaseOptions): Promise<TestDatabase>;
}

interface DatabaseOptions {
  /** Without pgvector, and owned by the superuser: as if an operator had forgotten a step. */
  readonly bare?: boolean;
}

interface TestDatabase {
  /** For the service: a role without special rights that owns the database. */
  readonly url: string;
  /** For looking behind the service's back. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The same as the service's role, naming the given tenant or none. */
  queryAsService<Row extends object>(text: string, tenantId?: string): Promise<Row[]>;
}

export async function postgresForTests(): Promise<PostgresForTests> {
  const given = process.env.WHETSTONE_TEST_DATABASE_URL;
  const server = given === undefined ? await sharedServer() : { url: given };
  if ("missing" in server) {
    console.warn(`the tests of PostgreSQL are skipped: ${server.missing}`);
    const none = () => Promise.reject(new Error(server.missing));
    return { missing: server.missing, database: none };
  }
  const admin = server.url;
  await prepare(admin);
  return { missing: null, database: (options = {}) => makeDatabase(admin, options) };
}

const ROLE = "whetstone_test";
const TEMPLATE = "whetstone_test_template";

function passwordFor(admin: string): string {
  return createHash("sha256").update(admin).digest("hex").slice(0, 24);
}

/** The role and the template that all test databases are copied from. Test files may do this at the same time. */
async function prepare(admin: string): Promise<void> {
  await withClient(admin, async (client) => {
    await client.query("SELECT pg_advisory_lock(7793, 99)");
    const role = await client.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [ROLE]);
    if (role.rowCount === 0) {
      await client.query(
        `CREATE ROLE ${ROLE} LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD '${passwordFor(admin)}'`,
      );
    }
    const template = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [TEMPLATE]);
    if (template.rowCount === 0) {
      await client.query(`CREATE DATABASE ${TEMPLATE} TEMPLATE template0`);
      await withClient(at(admin, TEMPLATE), (inside) => inside.query("CREATE EXTENSION vector"));
    }
  });
}

async function makeDatabase(admin: string, { bare = false }: DatabaseOptions): Promise<TestDatabase> {
  const name = `whetstone_test_${randomBytes(8).toString("hex")}`;
  const run = (text: string) => withClient(admin, (client) => client.query(text));
  await run(
    `CREATE DATABASE ${name} TEMPLATE ${bare ? "template0" : TEMPLATE} OWNER ${bare ? "DEFAULT" : ROLE}`,
  );
  onTestFinished(async () => void (await run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)));
  const url = new URL(at(admin, name));
  url.username = ROLE;
  url.password = passwordFor(admin);
  return {
    url: url.href,
    query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      withClient(at(admin, name), async (client) => (await client.query<Row>(text, [...values])).rows),
    queryAsService: async <Row extends object>(text: string, tenantId?: string) =>
      withClient(url.href, async (client) => {
        if (tenantId !== undefined)
          await client.query("SELECT set_config('whetstone.tenant', $1, false)", [tenantId]);
        return (await client.query<Row>(text)).rows;
      }),
  };
}

function at(admin: string, database: string): string {
  const url = new URL(admin);
  url.pathname = `/${database}`;
  return url.href;
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
