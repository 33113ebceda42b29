/** The one secret: given by a setting, else made once in the data folder, readable by its owner alone. */
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "./config.ts";
import { SetupError } from "./domain/errors.ts";

const SHORTEST = 16;

export function secretOf({ secret, dataDir, databaseUrl }: Config): string {
  if (secret !== null) {
    if (secret.length < SHORTEST)
      throw new SetupError(`WHETSTONE_SECRET must have at least ${SHORTEST} characters`);
    return secret;
  }
  if (databaseUrl !== null) {
    throw new SetupError("WHETSTONE_SECRET must be set with WHETSTONE_DATABASE_URL: all processes share it");
  }
  const file = join(dataDir, "secret");
  try {
    makeOnce(file);
    return readFileSync(file, "utf8").trim();
  } catch (cause) {
    throw new SetupError(`cannot read or make the secret ${file}: ${(cause as Error).message}`, { cause });
  }
}

function makeOnce(file: string): void {
  mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 });
  try {
    const handle = openSync(file, "wx", 0o600);
    writeSync(handle, `${randomBytes(32).toString("base64url")}\n`);
    fsyncSync(handle);
    closeSync(handle);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
