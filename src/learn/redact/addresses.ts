// Finds where a person can be reached over a network: e-mail and IPv6 addresses. IPv4 addresses are numbers: numbers.ts.
import { ALNUM, DASH, DOT, isIn, PERCENT, WORD } from "./characters.ts";
import type { Span } from "./spans.ts";

/** Endings that look like a domain's but are a file's: `icon@2x.png`. */
const FILE_ENDING =
  /^(?:png|jpe?g|gif|svg|webp|ico|avif|js|mjs|ts|tsx|jsx|css|scss|json|md|html?|py|rb|go|rs|java|txt|zip|gz|tgz|ya?ml|lock)$/i;

export function findEmails(text: string, spans: Span[]): void {
  for (const sign of ["@", "%40"]) {
    for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + sign.length)) {
      const end = domainEnd(text, at + sign.length);
      if (end === -1) continue;
      const start = mailboxStart(text, at);
      // Of a URL, `user@host` is the way in, not where somebody gets mail.
      if (start === at || text.slice(start, at) === "git" || text.startsWith("://", start - 3)) continue;
      spans.push({ start, end, kind: "email" });
    }
  }
}

const ENCODED_SEPARATOR = /^%(?:20|2C|3A|3B|3C|3D|26|22|0A)$/i;

function mailboxStart(text: string, to: number): number {
  let start = to;
  while (start > to - 64 && isMailbox(text, start - 1)) {
    if (text[start - 3] === "%" && ENCODED_SEPARATOR.test(text.slice(start - 3, start))) break;
    start -= 1;
  }
  // Not the n of a line break that is still escaped.
  if (text[start - 1] === "\\" && "nrt".includes(text[start] ?? "?")) start += 1;
  while (start < to && ".%+-".includes(text[start] ?? "?")) start += 1;
  return start;
}

function isMailbox(text: string, at: number): boolean {
  return isIn(text, at, WORD | DASH | DOT | PERCENT) || text[at] === "+" || isLatin(text, at);
}

/** Where the domain that begins at `from` ends; -1: there is none, or it is a file, a version or a method. */
function domainEnd(text: string, from: number): number {
  let end = from;
  while (end < from + 253 && (isIn(text, end, ALNUM | DASH | DOT) || isLatin(text, end))) end += 1;
  while (end > from && ".-".includes(text[end - 1] ?? "?")) end -= 1;
  const domain = text.slice(from, end);
  const dot = domain.lastIndexOf(".");
  if (dot <= 0 || !isIn(domain, 0, ALNUM) || domain.includes("..")) return -1;
  const ending = domain.slice(dot + 1);
  const real = /^[A-Za-z]{2,24}$|^xn--[a-z0-9-]{2,40}$/i.test(ending) && !FILE_ENDING.test(ending);
  return real && text[end] !== "(" ? end : -1;
}

/** A letter of a European name that is not ASCII. */
function isLatin(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xc0 && code <= 0x24f;
}

/** The first group of an address that is in use: global, unique local, link local. */
const IPV6 = /\b(?:[23][0-9a-f]{3}|f[cde][0-9a-f]{2}):[0-9a-f:]{2,40}/gi;

export function findIpv6(text: string, spans: Span[]): void {
  if (!text.includes(":")) return;
  for (const match of text.matchAll(IPV6)) {
    if (text[match.index - 1] === ":" || text[match.index - 1] === "-") continue;
    const address = match[0].replace(/:$/, "");
    const halves = address.split("::");
    const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
    const whole = halves.length === 1 ? groups.length === 8 : halves.length === 2 && groups.length < 8;
    const end = match.index + address.length;
    if (!whole || !groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) || isIn(text, end, WORD)) continue;
    spans.push({ start: match.index, end, kind: "ip_address" });
  }
}
