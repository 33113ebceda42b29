// Sets of ASCII characters as unions of bits, so that asking whether a character is in a set is one table look-up.

export const DIGIT = 1;
const HEX_LETTER = 2;
const UPPER = 4;
const LOWER = 8;
export const UNDERSCORE = 16;
export const DASH = 32;
export const DOT = 64;
export const EQUALS = 128;
const PLUS_SLASH = 256;
export const TILDE = 512;
export const PERCENT = 1024;

export const HEX = DIGIT | HEX_LETTER;
export const CAPITALS = UPPER | DIGIT;
export const ALNUM = UPPER | LOWER | DIGIT;
export const WORD = ALNUM | UNDERSCORE;
/** Base64 as it stands in a URL. */
export const URL64 = WORD | DASH;
export const BASE64 = ALNUM | PLUS_SLASH | EQUALS;

const SETS = new Uint16Array(128);
function assign(bit: number, characters: string): void {
  for (const character of characters) {
    const code = character.charCodeAt(0);
    SETS[code] = (SETS[code] ?? 0) | bit;
  }
}
assign(DIGIT, "0123456789");
assign(HEX_LETTER, "abcdefABCDEF");
assign(UPPER, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
assign(LOWER, "abcdefghijklmnopqrstuvwxyz");
assign(UNDERSCORE, "_");
assign(DASH, "-");
assign(DOT, ".");
assign(EQUALS, "=");
assign(PLUS_SLASH, "+/");
assign(TILDE, "~");
assign(PERCENT, "%");

/** False beyond the end of the text and for anything that is not ASCII. */
export function isIn(text: string, at: number, set: number): boolean {
  const code = text.charCodeAt(at);
  // The comparison is false for NaN too, which keeps the look-up inside the table and so fast.
  return code < 128 && ((SETS[code] ?? 0) & set) !== 0;
}

/** Where the run of characters of this set that begins at `from` ends. */
export function runEnd(text: string, from: number, set: number, limit = Infinity): number {
  const stop = Math.min(text.length, from + limit);
  let end = from;
  while (end < stop && isIn(text, end, set)) end += 1;
  return end;
}

/** Where the run of characters of this set that ends before `to` begins. */
export function runStart(text: string, to: number, set: number, limit: number): number {
  const stop = Math.max(0, to - limit);
  let start = to;
  while (start > stop && isIn(text, start - 1, set)) start -= 1;
  return start;
}

/**
 * Whether a word can begin at `at`. Besides the plain case: after a line break or tab that is still escaped
 * (`\nghp_...` inside JSON) and after a percent-encoded character (`%3Dghp_...`).
 */
export function wordStartsAt(text: string, at: number): boolean {
  if (!isIn(text, at - 1, ALNUM)) return true;
  if (text[at - 2] === "\\") return "nrt".includes(text[at - 1] ?? "?");
  return text[at - 3] === "%" && isIn(text, at - 2, HEX) && isIn(text, at - 1, HEX);
}

/** Where a match of a sticky pattern at `at` ends; -1: there is none. */
export function stickyEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}
