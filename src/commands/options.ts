/** Reads the words of a command with Node's own parser, and turns its complaints into ours. */
import { parseArgs, type ParseArgsConfig } from "node:util";
import { UsageError } from "./command.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

export function readOptions<const O extends Options>(words: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

export function required(value: string | undefined, name: string): string {
  if (value === undefined || value === "") throw new UsageError(`${name} is missing`);
  return value;
}

/** Numbers given on the command line. */
export function wholeNumber(value: string | undefined, name: string, standard: number): number {
  if (value === undefined) return standard;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0)
    throw new UsageError(`${name} must be a whole number, not "${value}"`);
  return number;
}
