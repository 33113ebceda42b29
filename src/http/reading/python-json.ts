/**
 * Python's json decoder (CPython 3.13), to the letter: what it accepts, and what it says about the rest and
 * where. One thing is our own: NaN, Infinity and numbers that overflow are refused. Nesting must have been
 * limited beforehand.
 */

import { integerFromDigits, MAX_INTEGER_DIGITS } from "./lax-integer.ts";

/** `error` and `position` are Python's, the position in characters (code points). */
export class JsonError extends Error {
  readonly position: number;

  constructor(message: string, text: string, index: number) {
    super(message);
    this.position = codePoints(text, index);
  }
}

/** An integer so long that Python will not convert it; not a JSON error there, but a failure. */
export class OversizeInteger extends Error {}

export interface ExactJson {
  readonly value: unknown;
  /** For objects whose keys JavaScript lists in another order: the keys as written. */
  readonly keyOrder: ReadonlyMap<object, readonly string[]>;
}

/** Integers a double cannot hold are bigints. Throws JsonError or OversizeInteger. */
export function parseExactly(text: string): ExactJson {
  const parser = new Parser(text, true);
  return { value: parser.document(), keyOrder: parser.keyOrder };
}

/** Throws as `parseExactly` would, without the work of making values: for text known not to be JSON. */
export function checkJson(text: string): void {
  new Parser(text, false).document();
}

const NOT_JSON = "Out of range float values are not JSON compliant";
/** What ends a run of ordinary characters in a string. */
const SPECIAL = /["\\\u0000-\u001f]/g;
/** Beyond so many characters a native search is worth its call. */
const SHORT = 48;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const WORDS = new Map<string | undefined, readonly [string, boolean | null]>([
  ["n", ["null", null]],
  ["t", ["true", true]],
  ["f", ["false", false]],
]);

class Parser {
  readonly keyOrder = new Map<object, readonly string[]>();
  readonly #text: string;
  readonly #keepValues: boolean;
  #at = 0;

  constructor(text: string, keepValues: boolean) {
    this.#text = text;
    this.#keepValues = keepValues;
  }

  document(): unknown {
    this.#skipBlanks();
    const value = this.#value();
    this.#skipBlanks();
    if (this.#at !== this.#text.length) this.#fail("Extra data", this.#at);
    return value;
  }

  #value(): unknown {
    switch (this.#text[this.#at]) {
      case '"':
        return this.#string();
      case "{":
        return this.#object();
      case "[":
        return this.#array();
      default:
        return this.#scalar();
    }
  }

  #scalar(): unknown {
    const word = WORDS.get(this.#text[this.#at]);
    if (word !== undefined && this.#text.startsWith(word[0], this.#at)) {
      this.#at += word[0].length;
      return word[1];
    }
    if (/(?:NaN|-?Infinity)/y.test(this.#text.slice(this.#at, this.#at + 9))) this.#fail(NOT_JSON, this.#at);
    NUMBER.lastIndex = this.#at;
    const number = NUMBER.exec(this.#text);
    if (number === null) return this.#fail("Expecting value", this.#at);
    const [literal, fraction, exponent] = number;
    const whole = fraction === undefined && exponent === undefined;
    const value = whole ? this.#integer(literal) : Number(literal);
    if (typeof value === "number" && !Number.isFinite(value)) this.#fail(NOT_JSON, this.#at);
    this.#at += literal.length;
    return value;
  }

  #integer(literal: string): number | bigint {
    const digits = literal.startsWith("-") ? literal.length - 1 : literal.length;
    if (digits > MAX_INTEGER_DIGITS) throw new OversizeInteger("integer of too many digits");
    return this.#keepValues ? integerFromDigits(literal) : 0;
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    this.#at++;
    this.#skipBlanks();
    if (this.#text[this.#at] === "]") {
      this.#at++;
      return items;
    }
    for (;;) {
      const item = this.#value();
      if (this.#keepValues) items.push(item);
      if (this.#closes("]", "array")) return items;
    }
  }

  #object(): object {
    const members = new Members();
    this.#at++;
    this.#skipBlanks();
    if (this.#text[this.#at] === "}") {
      this.#at++;
      return members.object;
    }
    for (;;) {
      if (this.#text[this.#at] !== '"') {
        this.#fail("Expecting property name enclosed in double quotes", this.#at);
      }
      const key = this.#string();
      this.#skipBlanks();
      if (this.#text[this.#at] !== ":") this.#fail("Expecting ':' delimiter", this.#at);
      this.#at++;
      this.#skipBlanks();
      const value = this.#value();
      if (this.#keepValues) members.add(key, value);
      if (this.#closes("}", "object")) break;
    }
    if (members.order !== null) this.keyOrder.set(members.object, [...members.order]);
    return members.object;
  }

  /** After an item: past the closing bracket, or past the comma to the next item. */
  #closes(bracket: "]" | "}", container: string): boolean {
    this.#skipBlanks();
    const next = this.#text[this.#at];
    if (next === bracket) {
      this.#at++;
      return true;
    }
    const comma = this.#at;
    if (next !== ",") this.#fail("Expecting ',' delimiter", comma);
    this.#at++;
    this.#skipBlanks();
    if (this.#text[this.#at] === bracket)
      this.#fail(`Illegal trailing comma before end of ${container}`, comma);
    return false;
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at;
    let at = start + 1;
    let searchFrom = start + SHORT;
    let escaped = false;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === 0x22) break;
      if (code === 0x5c) {
        if (at + 1 === text.length) this.#fail("Unterminated string starting at", start);
        at = this.#escape(at);
        searchFrom = at + SHORT;
        escaped = true;
      } else if (code >= 0x20) at = at < searchFrom ? at + 1 : nextSpecial(text, at);
      else if (at < text.length) this.#fail("Invalid control character at", at);
      else this.#fail("Unterminated string starting at", start);
    }
    this.#at = at + 1;
    if (!this.#keepValues) return "";
    // Every escape has been checked, so the fast decoder can do the work.
    return escaped ? String(JSON.parse(text.slice(start, at + 1))) : text.slice(start + 1, at);
  }

  /** Checks the escape at this backslash and returns where it ends. */
  #escape(backslash: number): number {
    const text = this.#text;
    const letter = text.charCodeAt(backslash + 1);
    if (letter !== 0x75) {
      if (!isEscapable(letter)) this.#fail("Invalid \\escape", backslash);
      return backslash + 2;
    }
    const end = backslash + 6;
    // Python wants one more character after the four digits: the quote that the string still needs.
    let valid = end < text.length;
    for (let at = backslash + 2; at < end; at++) valid &&= isHexDigit(text.charCodeAt(at));
    if (!valid) this.#fail("Invalid \\uXXXX escape", backslash + 1);
    return end;
  }

  #skipBlanks(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }

  #fail(message: string, index: number): never {
    throw new JsonError(message, this.#text, index);
  }
}

/** One of `"`, `\\`, `/`, `b`, `f`, `n`, `r`, `t`. */
function isEscapable(code: number): boolean {
  switch (code) {
    case 0x22:
    case 0x5c:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return true;
    default:
      return false;
  }
}

function isHexDigit(code: number): boolean {
  const lower = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}

function nextSpecial(text: string, from: number): number {
  SPECIAL.lastIndex = from;
  return SPECIAL.test(text) ? SPECIAL.lastIndex - 1 : text.length;
}

/** The members of an object in the making. */
class Members {
  readonly object: Record<string, unknown> = {};
  /** The keys as written, from the first key on that JavaScript may list out of turn. */
  order: Set<string> | null = null;

  add(key: string, value: unknown): void {
    if (this.order === null && /^[0-9]/.test(key)) this.order = new Set(Object.keys(this.object));
    this.order?.add(key);
    if (key === "__proto__") {
      // An assignment would change what the object is, not what it holds.
      Object.defineProperty(this.object, key, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    } else this.object[key] = value;
  }
}

/** Python counts characters where JavaScript counts UTF-16 units. */
function codePoints(text: string, end: number): number {
  if (!/[\ud800-\udbff]/.test(text)) return end;
  let pairs = 0;
  for (let index = 0; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0xd800 && code <= 0xdbff) pairs++;
  }
  return end - pairs;
}
