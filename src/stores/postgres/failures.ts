/** Gives an error of the driver the class that the rest of the service understands. */
import { DatabaseError } from "pg";
import { SetupError, StoreUnavailable, WhetstoneError } from "../../domain/errors.ts";

/** SQLSTATE classes and codes that say "not now"; the same call may succeed later. */
const PASSING_CLASSES = new Set([
  "08", // connection
  "40", // serialization, deadlock
  "53", // too many connections, out of memory, disk full
  "57", // shutting down, starting up, cancelled by a timeout
  "58", // input and output
]);
const PASSING_CODES = new Set([
  "25006", // read-only: a standby, until it is promoted
  "25P03", // idle too long inside a transaction
  "25P04", // the transaction took too long
  "28000", // refused: a password or a rule is being changed
  "28P01",
  "3D000", // the database is away, as while it is restored
  "55P03", // a lock could not be had in time
]);

export function translate(error: unknown): Error {
  if (error instanceof WhetstoneError) return error;
  if (error instanceof DatabaseError) {
    const code = error.code ?? "";
    if (!PASSING_CLASSES.has(code.slice(0, 2)) && !PASSING_CODES.has(code)) return error;
    return new StoreUnavailable(`PostgreSQL: ${error.message}`, { cause: error });
  }
  // the driver's own: refused, reset, timed out. Errors of ours have a class of their own or are bugs
  if (error instanceof TypeError || error instanceof RangeError) return error;
  return new StoreUnavailable(`PostgreSQL: ${messageOf(error)}`, { cause: error });
}

/** Where the service says where its database is. */
const SETTING = "WHETSTONE_DATABASE_URL";

/** What to do about a database that cannot be opened. Never says the URL, which holds a password. */
export function openingFailed(error: unknown): Error {
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  const code = (cause as { code?: unknown } | null | undefined)?.code;
  const reason = typeof code === "string" ? REASONS[code] : undefined;
  if (reason !== undefined) return new SetupError(reason, { cause });
  if (!(error instanceof StoreUnavailable))
    return error instanceof Error ? error : new Error(messageOf(error));
  return new SetupError(
    `cannot open the PostgreSQL database (${messageOf(cause)}): is it running, and is ${SETTING} right?`,
    { cause },
  );
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: `the host in ${SETTING} is not known: check its name`,
  EAI_AGAIN: `the host in ${SETTING} cannot be looked up: check its name and the network`,
  ECONNREFUSED: `nothing listens where ${SETTING} points: start PostgreSQL, or check host and port`,
  "28P01": `PostgreSQL refuses the user or the password in ${SETTING}: check both`,
  "28000": `PostgreSQL refuses the user in ${SETTING}: check the user, and pg_hba.conf on the server`,
  "3D000": `the database in ${SETTING} does not exist: create it, or check its name`,
  "42501": `the user in ${SETTING} may not make tables in this database: make it the database's owner`,
};

/** Without a cause: the parser's own error quotes what it could not read. */
export function malformedUrl(): SetupError {
  return new SetupError(
    `${SETTING} is no PostgreSQL URL: write postgres://user:password@host:5432/database, ` +
      "special characters of the password as %XX",
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
