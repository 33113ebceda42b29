import { Flaw } from "./flaw.ts";

const NOT_A_BOOLEAN = new Flaw("bool_type", "Input should be a valid boolean");
const UNREADABLE = new Flaw("bool_parsing", "Input should be a valid boolean, unable to interpret input");

const WORDS = new Map([
  ...["1", "on", "t", "true", "y", "yes"].map((word) => [word, true] as const),
  ...["0", "off", "f", "false", "n", "no"].map((word) => [word, false] as const),
]);
const LONGEST_WORD = 5;

const I64_BOUND = 2 ** 63;

/** pydantic's lax boolean: the words above in any case and untrimmed, or a number that is 0 or 1. */
export function readBoolean(input: unknown): boolean | Flaw {
  switch (typeof input) {
    case "boolean":
      return input;
    case "string":
      return fromText(input);
    case "number":
    case "bigint":
      return fromNumber(Number(input));
    default:
      return NOT_A_BOOLEAN;
  }
}

function fromText(text: string): boolean | Flaw {
  if (text.length > LONGEST_WORD) return UNREADABLE;
  return WORDS.get(asciiLowerCase(text)) ?? UNREADABLE;
}

/** `toLowerCase` would also fold letters outside ASCII, such as the Kelvin sign, into a word. */
function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function fromNumber(value: number): boolean | Flaw {
  if (value === 0) return false;
  if (value === 1) return true;
  return Number.isInteger(value) && Math.abs(value) < I64_BOUND ? UNREADABLE : NOT_A_BOOLEAN;
}
