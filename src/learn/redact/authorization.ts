// Finds the credentials of HTTP: what follows `Authorization:`, and `Bearer ...` or `Basic ...` wherever they stand.
import { BASE64, DOT, runEnd, stickyEnd, TILDE, URL64 } from "./characters.ts";
import type { Span } from "./spans.ts";
import { CREDENTIAL_END, LINE_BREAK, OPEN_QUOTE, type Runs, unquotedEnd } from "./syntax.ts";
import { isInert, isPlainWord, looksRandom } from "./values.ts";

const SCHEME =
  /(Basic|Bearer|Token|ApiKey|Api-Key|Digest|Negotiate|Key|OAuth|JWT|SSWS|Splunk|Bot|AWS4-HMAC-SHA256)[ \t]{1,4}/iy;
const LONGEST_BASIC = 4096;

/** What follows `Authorization:`: the scheme stays, its credentials go. */
export function credentialAt(text: string, from: number, runs: Runs): Span | null {
  const quoteEnd = stickyEnd(OPEN_QUOTE, text, from);
  const at = quoteEnd === -1 ? from : quoteEnd;
  SCHEME.lastIndex = at;
  const scheme = SCHEME.exec(text)?.[1];
  const start = scheme === undefined ? at : SCHEME.lastIndex;
  const manyParts = scheme !== undefined && /^(?:digest|aws4)/i.test(scheme);
  const end = unquotedEnd(text, start, manyParts ? LINE_BREAK : CREDENTIAL_END, runs);
  const value = text.slice(start, end);
  const secret =
    !isInert(value, false) &&
    (scheme === undefined
      ? looksRandom(value)
      : value.length >= 4 && (value.length >= 16 || !isPlainWord(value)));
  return secret ? { start, end, kind: "authorization" } : null;
}

/** `Bearer x` and `Basic x` without a header's name before them. */
export function schemeCredential(text: string, name: string, nameEnd: number): Span | null {
  const bearer = /^bearer$/i.test(name);
  if (!bearer && !/^basic ?$/i.test(name)) return null;
  const start = runEndOfSpaces(text, nameEnd);
  if (bearer && start === nameEnd) return null;
  const end = runEnd(text, start, bearer ? URL64 | DOT | BASE64 | TILDE : BASE64);
  const value = text.slice(start, end);
  const secret = bearer
    ? value.length >= 16 && /\d/.test(value) && !isInert(value, false)
    : isBasicCredential(value);
  return secret ? { start, end, kind: "authorization" } : null;
}

/** Basic credentials are `user:password` in base64, which no word of a sentence decodes to. */
function isBasicCredential(value: string): boolean {
  if (value.length < 8 || value.length > LONGEST_BASIC || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return false;
  return /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(Buffer.from(value, "base64").toString("latin1"));
}

function runEndOfSpaces(text: string, from: number): number {
  let at = from;
  while (at < from + 4 && text[at] === " ") at += 1;
  return at;
}
