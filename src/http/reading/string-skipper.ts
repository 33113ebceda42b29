const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_D = 0x64;
const LETTER_F = 0x66;
const LETTER_U = 0x75;

/** Beyond so many bytes a native search is worth its call. */
const SHORT = 48;

/** Finds where the strings of a JSON text end, and repairs escaped surrogates that lack their other half. */
export class StringSkipper {
  /** The text with U+FFFD for lone surrogates, all else in its place; null while there are none. */
  repaired: Buffer | null = null;
  readonly #bytes: Buffer;
  /** The first backslash at or after the last place searched from; kept so that no byte is searched twice. */
  #backslash = -1;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The closing quote of the string opened at `open`, or the end of the text. */
  end(open: number): number {
    const bytes = this.#bytes;
    const length = bytes.length;
    let searchFrom = open + SHORT;
    for (let at = open + 1; at < length; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) {
        at = this.#escape(at);
        searchFrom = at + SHORT;
      } else if (at > searchFrom) {
        const quote = bytes.indexOf(QUOTE, at);
        const end = quote === -1 ? length : quote;
        if (this.#nextBackslash(at) > end) return end;
        at = this.#backslash - 1;
      }
    }
    return length;
  }

  #nextBackslash(from: number): number {
    if (this.#backslash < from) {
      const found = this.#bytes.indexOf(BACKSLASH, from);
      this.#backslash = found === -1 ? this.#bytes.length : found;
    }
    return this.#backslash;
  }

  /** The last byte of this escape; a surrogate pair counts as one. */
  #escape(backslash: number): number {
    const bytes = this.#bytes;
    const first = backslash + 1;
    if (bytes[first] !== LETTER_U || surrogateDigit(bytes, first) < 0x8) return first;
    const second = first + 6;
    const paired =
      surrogateDigit(bytes, first) < 0xc &&
      bytes[second - 1] === BACKSLASH &&
      bytes[second] === LETTER_U &&
      surrogateDigit(bytes, second) >= 0xc;
    if (paired) return second;
    if (isHexDigit(bytes[first + 3]) && isHexDigit(bytes[first + 4])) this.#replace(first);
    return first;
  }

  #replace(u: number): void {
    this.repaired ??= Buffer.from(this.#bytes);
    this.repaired[u + 1] = this.repaired[u + 2] = this.repaired[u + 3] = LETTER_F;
    this.repaired[u + 4] = LETTER_D;
  }
}

/** Of an escape such as `ud83d` the 8; -1 when it is no surrogate's. */
function surrogateDigit(bytes: Buffer, u: number): number {
  if (((bytes[u + 1] ?? 0) | 0x20) !== LETTER_D) return -1;
  const code = (bytes[u + 2] ?? 0) | 0x20;
  if (code === 0x38 || code === 0x39) return code - 0x30;
  return code >= 0x61 && code <= 0x66 ? code - 0x57 : -1;
}

function isHexDigit(byte = 0): boolean {
  const code = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (code >= 0x61 && code <= 0x66);
}
