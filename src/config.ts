/** Every setting, once: its name, its default, what it means. docs/configuration.md is made from this file. */
import { readFileSync } from "node:fs";
import { SetupError } from "./domain/errors.ts";

interface Setting<T> {
  readonly variable: string;
  /** As a person reads it. */
  readonly standard: string;
  readonly meaning: string;
  readonly read: (text: string | undefined) => T;
}

function text(variable: string, standard: string, meaning: string): Setting<string> {
  return { variable, standard: `\`${standard}\``, meaning, read: (given) => given ?? standard };
}

function optionalText(variable: string, standard: string, meaning: string): Setting<string | null> {
  return {
    variable,
    standard,
    meaning,
    read: (given) => (given === undefined || given === "" ? null : given),
  };
}

function list(variable: string, standard: string, meaning: string): Setting<readonly string[]> {
  const read = (given: string | undefined) =>
    (given ?? "")
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
  return { variable, standard, meaning, read };
}

interface Range {
  readonly least: number;
  readonly most: number;
}

function readNumber(variable: string, given: string, { least, most }: Range): number {
  const value = Number(given);
  if (given.trim() === "" || !Number.isInteger(value) || value < least || value > most) {
    throw new SetupError(`${variable} must be a whole number from ${least} to ${most}, not "${given}"`);
  }
  return value;
}

function whole(variable: string, standard: number, range: Range, meaning: string): Setting<number> {
  const read = (given: string | undefined) =>
    given === undefined ? standard : readNumber(variable, given, range);
  return { variable, standard: `\`${standard}\``, meaning, read };
}

function optionalWhole(
  variable: string,
  standard: string,
  range: Range,
  meaning: string,
): Setting<number | null> {
  const read = (given: string | undefined) =>
    given === undefined || given === "" ? null : readNumber(variable, given, range);
  return { variable, standard, meaning, read };
}

function readShare(variable: string, given: string): number {
  const value = Number(given);
  if (given.trim() === "" || !(value >= 0 && value <= 1)) {
    throw new SetupError(`${variable} must be a share from 0 to 1, such as 0.1, not "${given}"`);
  }
  return value;
}

function share(variable: string, standard: number, meaning: string): Setting<number> {
  const read = (given: string | undefined) => (given === undefined ? standard : readShare(variable, given));
  return { variable, standard: `\`${standard}\``, meaning, read };
}

function optionalShare(variable: string, standard: string, meaning: string): Setting<number | null> {
  const read = (given: string | undefined) =>
    given === undefined || given === "" ? null : readShare(variable, given);
  return { variable, standard, meaning, read };
}

const LOG_LEVELS = ["silent", "fatal", "error", "warn", "info", "debug", "trace"];

function oneOf(
  variable: string,
  standard: string,
  allowed: readonly string[],
  meaning: string,
): Setting<string> {
  const read = (given: string | undefined) => {
    if (given !== undefined && !allowed.includes(given)) {
      throw new SetupError(`${variable} must be one of ${allowed.join(", ")}, not "${given}"`);
    }
    return given ?? standard;
  };
  return { variable, standard: `\`${standard}\``, meaning, read };
}

const PORT = { least: 0, most: 65_535 };
const COUNT = { least: 0, most: 1_000_000_000 };
const SOME = { least: 1, most: 1_000_000_000 };

export const SETTINGS = {
  port: whole("WHETSTONE_PORT", 8080, PORT, "Port to listen on; 0 takes any free one and logs it."),
  host: text(
    "WHETSTONE_HOST",
    "127.0.0.1",
    "Address to listen on. `0.0.0.0` opens the service to the network.",
  ),
  dataDir: text(
    "WHETSTONE_DATA_DIR",
    "./whetstone-data",
    "Folder of the database and of the secret made at first start.",
  ),
  databaseUrl: optionalText(
    "WHETSTONE_DATABASE_URL",
    "none: embedded SQLite",
    "`postgres://…` runs the service on PostgreSQL 15 or newer with pgvector, with any number of processes. `WHETSTONE_SECRET` is then required.",
  ),
  databasePool: whole(
    "WHETSTONE_DATABASE_POOL",
    10,
    { least: 2, most: 1_000 },
    "With PostgreSQL: connections of one process.",
  ),
  secret: optionalText(
    "WHETSTONE_SECRET",
    "made in the data folder",
    "The one secret: key hashes, payload encryption and sealed errors depend on it. Keep it with your backups. Also as a file: `WHETSTONE_SECRET_FILE`.",
  ),
  bootstrapKeys: list(
    "WHETSTONE_BOOTSTRAP_KEYS",
    "none",
    "Literal API keys, separated by commas, each with a tenant of its own, made at start where they are absent. For set-up and tests; short ones warn.",
  ),
  logLevel: oneOf(
    "WHETSTONE_LOG_LEVEL",
    "info",
    LOG_LEVELS,
    `One of ${LOG_LEVELS.join(", ")}. Logs are JSON lines on stdout.`,
  ),
  metricsPort: optionalWhole(
    "WHETSTONE_METRICS_PORT",
    "none",
    PORT,
    "Serves `/metrics` on a port of its own, to whoever reaches it. Without it, `/metrics` answers loopback callers only.",
  ),
  trustedProxies: list(
    "WHETSTONE_TRUSTED_PROXIES",
    "none",
    "Addresses of proxies whose `X-Forwarded-For` is believed, separated by commas.",
  ),
  bodyLimit: whole(
    "WHETSTONE_BODY_LIMIT",
    10 * 1024 * 1024,
    SOME,
    "Largest request body in bytes (413 above).",
  ),
  nestingLimit: whole(
    "WHETSTONE_NESTING_LIMIT",
    64,
    { least: 8, most: 1_000 },
    "Deepest nesting of a JSON body (413 above).",
  ),
  valueLimit: whole("WHETSTONE_VALUE_LIMIT", 100_000, SOME, "Most JSON values in a body (413 above)."),
  turnLimit: whole("WHETSTONE_TURN_LIMIT", 2_000, SOME, "Most turns of an upload (422 above)."),
  queryLimit: whole("WHETSTONE_QUERY_LIMIT", 32 * 1024, SOME, "Longest query string in bytes (413 above)."),
  rateLimit: whole(
    "WHETSTONE_RATE_LIMIT",
    0,
    COUNT,
    "Requests a minute and tenant (429 above, with Retry-After); 0 sets no limit. A tenant may have its own.",
  ),
  badKeyLimit: whole(
    "WHETSTONE_BAD_KEY_LIMIT",
    60,
    COUNT,
    "Wrong keys a minute and address before every further one gets 429; 0 sets no limit. An absent key does not count.",
  ),
  embedder: oneOf(
    "WHETSTONE_EMBEDDER",
    "local",
    ["local", "lexical", "openai"],
    "What compares requests by meaning: `local` (a model in this process), `lexical` (words alone, no model), or `openai` (any server with an OpenAI-compatible `/embeddings`).",
  ),
  embedderUrl: optionalText(
    "WHETSTONE_EMBEDDER_URL",
    "none",
    "With `openai`: the address up to `/embeddings`.",
  ),
  embedderModel: optionalText("WHETSTONE_EMBEDDER_MODEL", "none", "With `openai`: the model's name."),
  embedderDimensions: whole(
    "WHETSTONE_EMBEDDER_DIMENSIONS",
    1024,
    SOME,
    "With `openai`: the length of its vectors.",
  ),
  embedderKey: optionalText(
    "WHETSTONE_EMBEDDER_KEY",
    "none",
    "With `openai`: the key to send, if it wants one.",
  ),
  concurrency: whole(
    "WHETSTONE_CONCURRENCY",
    4,
    { least: 1, most: 64 },
    "Uploads that a worker learns from at a time.",
  ),
  indexMemory: whole(
    "WHETSTONE_INDEX_MEMORY_MB",
    512,
    SOME,
    "Memory that search may use for the tenants asked last, in MiB.",
  ),
  holdout: share(
    "WHETSTONE_HOLDOUT",
    0,
    "Share of enhancements answered without recommendations, by lot, to prove what they are worth; 0.1 is a good one. A tenant may have its own.",
  ),
  leaveOut: optionalShare(
    "WHETSTONE_LEAVE_OUT",
    "`0.1` with a holdout, else `0`",
    "Share of the other enhancements in which any one insight is left out, by lot, to prove what it is worth.",
  ),
  exposureDays: whole(
    "WHETSTONE_EXPOSURE_DAYS",
    90,
    COUNT,
    "Days that enhancements are kept with what they showed and what came of it; 0 records none, and proves nothing.",
  ),
  jobRetentionDays: whole(
    "WHETSTONE_JOB_RETENTION_DAYS",
    30,
    SOME,
    "Days that records of ended jobs are kept. What was learned stays.",
  ),
} as const satisfies Record<string, Setting<unknown>>;

type Settings = typeof SETTINGS;
export type Config = { readonly [Name in keyof Settings]: ReturnType<Settings[Name]["read"]> };

/** Throws a SetupError that names the setting and what it may be. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = { ...environment };
  const secretFile = given["WHETSTONE_SECRET_FILE"];
  if (secretFile) given["WHETSTONE_SECRET"] = readSecretFile(secretFile);
  return Object.fromEntries(
    Object.entries(SETTINGS).map(([name, setting]) => [name, setting.read(given[setting.variable])]),
  ) as unknown as Config;
}

function readSecretFile(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (cause) {
    throw new SetupError(`WHETSTONE_SECRET_FILE names ${file}, which cannot be read`, { cause });
  }
}

/** Names that begin like ours and are none: most likely a typing mistake. */
export function unknownSettings(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set<string>(Object.values(SETTINGS).map((setting) => setting.variable));
  known.add("WHETSTONE_SECRET_FILE");
  return Object.keys(environment).filter((name) => name.startsWith("WHETSTONE_") && !known.has(name));
}
