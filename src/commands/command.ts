/** What every command is given, and how it is described; `whetstone help` is made from these. */
import type { Config } from "../config.ts";

export interface Command {
  /** Words after `whetstone`, as in the help: `keys issue --tenant T [--label L]`. */
  readonly usage: string;
  readonly summary: string;
  /** Answers the exit code. */
  readonly run: (words: readonly string[], io: Io) => Promise<number>;
}

export interface Io {
  readonly config: () => Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

/** The words of a command were not as its usage says. Exit code 2. */
export class UsageError extends Error {}
