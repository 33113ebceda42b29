import { trimBlanks } from "./blanks.ts";
import { Flaw } from "./flaw.ts";

const NOT_A_NUMBER = new Flaw("float_type", "Input should be a valid number");
const UNREADABLE = new Flaw(
  "float_parsing",
  "Input should be a valid number, unable to parse string as a number",
);

/** pydantic's lax float. There is no range check: `nan` and `inf` are numbers to it. */
export function readFloat(input: unknown): number | Flaw {
  switch (typeof input) {
    case "number":
      return input;
    case "bigint":
    case "boolean":
      return Number(input);
    case "string":
      return fromText(trimBlanks(input)) ?? fromText(withoutUnderscores(input)) ?? UNREADABLE;
    default:
      return NOT_A_NUMBER;
  }
}

const DECIMAL = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const NAMED = /^([+-]?)(?:(inf|infinity)|nan)$/i;

/** Rust's grammar for a float, which has `5.`, `.5` and names for the special values. */
function fromText(text: string): number | undefined {
  if (DECIMAL.test(text)) return Number(text);
  const named = NAMED.exec(text);
  if (named === null) return undefined;
  if (named[2] === undefined) return Number.NaN;
  return named[1] === "-" ? -Infinity : Infinity;
}

/** Only single underscores between other characters may go; the text is not trimmed here, as in pydantic. */
function withoutUnderscores(text: string): string {
  const misplaced = text.startsWith("_") || text.endsWith("_") || text.includes("__");
  return misplaced ? text : text.replaceAll("_", "");
}
