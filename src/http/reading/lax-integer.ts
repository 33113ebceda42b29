import { trimBlanks } from "./blanks.ts";
import { Flaw } from "./flaw.ts";

const NOT_AN_INTEGER = new Flaw("int_type", "Input should be a valid integer");
const FRACTION = new Flaw(
  "int_from_float",
  "Input should be a valid integer, got a number with a fractional part",
);
const UNREADABLE = new Flaw(
  "int_parsing",
  "Input should be a valid integer, unable to parse string as an integer",
);
const TOO_LARGE = new Flaw(
  "int_parsing_size",
  "Unable to parse input string as an integer, exceeded maximum size",
);

/** Python refuses to turn longer texts into integers; pydantic counts a minus sign among the digits. */
export const MAX_INTEGER_DIGITS = 4300;
const I64_BOUND = 2 ** 63;

/**
 * pydantic's lax integer. A bigint input is an integer literal that a double cannot hold, so a number
 * beyond that range can only have been written as a float (`1e20`), and is held to pydantic's 64 bits.
 */
export function readInteger(input: unknown): number | bigint | Flaw {
  switch (typeof input) {
    case "number":
      return fromFloat(input);
    case "bigint":
      return input;
    case "string":
      return fromText(input);
    case "boolean":
      return input ? 1 : 0;
    default:
      return NOT_AN_INTEGER;
  }
}

/** A number where it is exact, a bigint where it is not. */
export function integerFromDigits(text: string): number | bigint {
  const value = text.length > 17 ? Infinity : Number(text);
  return Number.isSafeInteger(value) ? value + 0 : BigInt(text);
}

function fromFloat(value: number): number | bigint | Flaw {
  if (Number.isSafeInteger(value)) return value + 0; // -0 becomes 0
  if (!Number.isInteger(value)) return FRACTION;
  return Math.abs(value) < I64_BOUND ? BigInt(value) : TOO_LARGE;
}

function fromText(text: string): number | bigint | Flaw {
  const written = /^-?[1-9][0-9]*/.exec(text);
  if (written !== null && written[0].length > MAX_INTEGER_DIGITS) return TOO_LARGE;
  const digits = plainDigits(trimBlanks(text));
  return digits === null || digits.length > MAX_INTEGER_DIGITS ? UNREADABLE : integerFromDigits(digits);
}

/** `+1_000.00` → `1000`: a sign, single underscores and a fraction of zeros are pydantic's liberties. */
function plainDigits(text: string): string | null {
  const signed = text.startsWith("-") || text.startsWith("+");
  // Among leading zeros pydantic passes over underscores, even doubled ones.
  const unsigned = (signed ? text.slice(1) : text).replace(/^0[0_]*(?=[0-9])/, "");
  const digits = unsigned.replace(/\.0+$/, "");
  // Anything longer has too many digits; the pattern would run out of stack on millions of underscores.
  if (digits.length > 2 * MAX_INTEGER_DIGITS || !/^[0-9]+(?:_[0-9]+)*$/.test(digits)) return null;
  return (text.startsWith("-") ? "-" : "") + digits.replaceAll("_", "");
}
