// Finds the tokens of shapes.ts in one pass over the text. No regular expressions: every part takes all the characters
// of its set that there are and never gives one back, so there is nothing to backtrack over.
import { ALNUM, BASE64, isIn, runEnd, runStart, wordStartsAt } from "./characters.ts";
import { MARKED_SHAPES, type MarkedShape, type Part, type Shape, SHAPES } from "./shapes.ts";
import type { Span } from "./spans.ts";
import { looksRandom } from "./values.ts";

/** By prefix, earlier shapes first. */
const BY_PREFIX = new Map<string, Shape[]>();
for (const shape of SHAPES) {
  for (const prefix of shape.prefixes) BY_PREFIX.set(prefix, [...(BY_PREFIX.get(prefix) ?? []), shape]);
}
/** Literals only, so that it does not backtrack; the longest first, because the first that fits is taken. */
const PREFIXES = [...BY_PREFIX.keys()]
  .sort((a, b) => b.length - a.length)
  .map((prefix) => prefix.replace(/[.$/]/g, "\\$&"));
/** Something must follow: `s.` is a prefix, and the end of many a sentence. */
const PREFIX = new RegExp(`(?:${PREFIXES.join("|")})(?=[\\w%/+-])`, "g");

export function findTokens(text: string, spans: Span[]): void {
  const matcher = new Matcher(text);
  PREFIX.lastIndex = 0;
  for (let hit = PREFIX.exec(text); hit !== null; hit = PREFIX.exec(text)) {
    const start = hit.index;
    const span = wordStartsAt(text, start) ? tokenAt(matcher, text, start, hit[0]) : null;
    // A prefix can hold a shorter one (`sk-ant-`, `sk-`), so that a miss goes on with the next character.
    PREFIX.lastIndex = span === null ? start + 1 : span.end;
    if (span === null) continue;
    spans.push(span);
    if (span.kind === "aws_access_key") findAwsSecretNear(text, span.end, spans);
  }
  for (const shape of MARKED_SHAPES)
    for (const mark of shape.marks) findMarked(matcher, text, shape, mark, spans);
}

function findMarked(matcher: Matcher, text: string, shape: MarkedShape, mark: string, spans: Span[]): void {
  const { set, min, max } = shape.before;
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + mark.length)) {
    let start = runStart(text, at, set, max + 1);
    // The n of a line break that is still escaped is none of the token's.
    if (text[start - 1] === "\\") start += 1;
    if (at - start < min || at - start > max) continue;
    const end = matcher.end(at + mark.length, shape.parts);
    if (end !== -1) spans.push({ start, end, kind: shape.kind });
  }
}

/** The longest prefix is tried first, then those it begins with. */
function tokenAt(matcher: Matcher, text: string, start: number, longest: string): Span | null {
  for (let length = longest.length; length >= 2; length -= 1) {
    for (const shape of BY_PREFIX.get(longest.slice(0, length)) ?? []) {
      const end = matcher.end(start + length, shape.parts);
      if (end !== -1 && believable(text.slice(start + length, Math.min(end, start + 100))))
        return { start, end, kind: shape.kind };
    }
  }
  return null;
}

/** `sk-learn-contrib-examples` has a prefix and a length too, but it is made of words. */
function believable(body: string): boolean {
  return /\d|[A-Za-z]{16}/.test(body);
}

const AWS_SECRET_LENGTH = 40;
/** How far from a key id its secret is looked for: the next field or line of a credentials file. */
const AWS_SECRET_REACH = 200;

/** The secret half of an AWS pair has no mark of its own, only its length and its company. */
function findAwsSecretNear(text: string, from: number, spans: Span[]): void {
  const stop = Math.min(text.length, from + AWS_SECRET_REACH);
  for (let at = from; at < stop; at += 1) {
    if (!isIn(text, at, BASE64)) continue;
    const end = runEnd(text, at, BASE64, AWS_SECRET_LENGTH + 1);
    const start = text[at] === "=" ? at + 1 : at;
    const value = text.slice(start, end);
    if (
      value.length === AWS_SECRET_LENGTH &&
      /[a-z]/.test(value) &&
      /[A-Z]/.test(value) &&
      looksRandom(value)
    ) {
      spans.push({ start, end, kind: "aws_secret_key" });
      return;
    }
    at = Math.max(at, end - 1);
  }
}

/** A line break inside a token, real or still escaped, with the indentation of the next line. */
const WRAP = /\\?(?:\r?\n|\\r\\n|\\n)[ \t]{0,40}/y;
const MOST_WRAPS = 8;
/** A token is broken where the line is full, not after its first characters. */
const SHORTEST_LINE = 8;

class Matcher {
  readonly #text: string;
  /**
   * The last run measured for each set. Without it a long run in which many words start (`eyJ-eyJ-eyJ-...`) would be
   * measured once for each of them.
   */
  readonly #runs = new Map<number, { readonly start: number; readonly end: number }>();

  constructor(text: string) {
    this.#text = text;
  }

  /** Where the parts end if they stand at `from` and nothing more of the same word follows; -1 if they do not. */
  end(from: number, parts: readonly Part[]): number {
    let at = from;
    for (const part of parts) {
      if (typeof part === "string") {
        if (!this.#text.startsWith(part, at)) at = this.#unwrapped(at);
        if (!this.#text.startsWith(part, at)) return -1;
        at += part.length;
        continue;
      }
      let length = 0;
      for (let wraps = 0; ; wraps += 1) {
        const end = this.#runEnd(at, part.set);
        const line = end - at;
        length += line;
        at = end;
        if (length >= part.min || line < SHORTEST_LINE || wraps === MOST_WRAPS) break;
        const next = this.#unwrapped(at);
        if (next === at) break;
        at = next;
      }
      if (length < part.min || length > part.max) return -1;
    }
    if (isIn(this.#text, at, ALNUM)) return -1;
    // Where dots belong to a token, the one behind it still belongs to the sentence.
    while (this.#text[at - 1] === ".") at -= 1;
    return at;
  }

  #runEnd(at: number, set: number): number {
    const known = this.#runs.get(set);
    if (known !== undefined && known.start <= at && at < known.end) return known.end;
    const end = runEnd(this.#text, at, set);
    this.#runs.set(set, { start: at, end });
    return end;
  }

  #unwrapped(at: number): number {
    WRAP.lastIndex = at;
    return WRAP.test(this.#text) ? WRAP.lastIndex : at;
  }
}
