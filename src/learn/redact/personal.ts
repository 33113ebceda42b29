// Finds what belongs to a person: e-mail and network addresses, telephone, card, bank account and identity numbers.
import {
  ALNUM,
  DASH,
  DIGIT,
  DOT,
  isIn,
  LOWER,
  PERCENT,
  runEnd,
  runStart,
  UPPER,
  WORD,
} from "./characters.ts";
import {
  ibanLength,
  isBelgianId,
  isCardNumber,
  isDutchId,
  isFinnishId,
  isFrenchId,
  isGermanTaxId,
  isItalianId,
  isNationalInsuranceNumber,
  isPolishId,
  isSocialSecurityNumber,
  isSpanishId,
  passesLuhn,
} from "./checksums.ts";
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

/** Where a number long enough to be one of these can begin. */
const NUMBER_START = /(?<![A-Za-z0-9])(?:\d[\d .()/+A-]{6}|[A-Z]{2} ?\d\d|[XYZ]-?\d{7}|[A-Z]{6}\d\d)/g;

/** Everything made of digits, and the numbers that begin with a letter. */
export function findNumbers(text: string, spans: Span[]): void {
  NUMBER_START.lastIndex = 0;
  for (let hit = NUMBER_START.exec(text); hit !== null; hit = NUMBER_START.exec(text)) {
    const at = hit.index;
    const span = isIn(text, at, DIGIT) ? numberAt(text, at) : letteredNumberAt(text, at);
    if (span !== null) spans.push(span);
    NUMBER_START.lastIndex = span === null ? at + 1 : span.end;
  }
}

const REACH = 48;

function numberAt(text: string, at: number): Span | null {
  const before = text[at - 1] ?? "";
  // The tail of a longer number: 3.14159..., 12-345-6789, a_123.
  if (/[._]/.test(before) || (/[-,:/]/.test(before) && isIn(text, at - 2, ALNUM))) return null;
  const ahead = text.slice(at, at + REACH);
  const plus = before === "+" && !isIn(text, at - 2, ALNUM);
  if (plus) return international(text, at, ahead);

  const card = /^(?:\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ -])\d{6}\2\d{4,5}|\d{13,19})/.exec(
    ahead,
  )?.[0];
  if (card !== undefined && endsAt(text, at + card.length) && isCardNumber(compacted(card))) {
    return { start: at, end: at + card.length, kind: "card_number" };
  }
  const ip = /^\d{1,3}(?:\.\d{1,3}){3}/.exec(ahead)?.[0];
  if (ip !== undefined)
    return isAddress(text, at, ip) ? { start: at, end: at + ip.length, kind: "ip_address" } : null;
  for (const { pattern, valid } of NUMBERED_IDS) {
    const id = pattern.exec(ahead)?.[0];
    if (id !== undefined && endsAt(text, at + id.length) && valid(compacted(id), id)) {
      return { start: at, end: at + id.length, kind: "national_id" };
    }
  }
  return contextual(text, at, ahead) ?? national(text, at, ahead);
}

const NUMBERED_IDS: readonly {
  readonly pattern: RegExp;
  readonly valid: (compact: string, text: string) => boolean;
}[] = [
  { pattern: /^\d{3}-\d{2}-\d{4}/, valid: (_, text) => isSocialSecurityNumber(text) },
  { pattern: /^\d{8}-?[A-Z]/, valid: isSpanishId },
  { pattern: /^[12] ?\d{2} ?\d{2} ?\d[\dAB] ?\d{3} ?\d{3} ?\d{2}/, valid: isFrenchId },
  { pattern: /^\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}/, valid: isBelgianId },
  {
    pattern: /^(?:\d{2})?\d{2}(?:0[1-9]|1[0-2])[0-3]\d[-+]\d{4}/,
    valid: (compact) => passesLuhn(compact.slice(-10)),
  },
  { pattern: /^[0-3]\d(?:0[1-9]|1[0-2])\d{2}[-+A]\d{3}[0-9A-Y]/, valid: (_, text) => isFinnishId(text) },
];

/** Numbers with nothing to tell them by but their checksum: believed only after a word that announces one. */
const ANNOUNCED_IDS: readonly {
  readonly word: RegExp;
  readonly length: number;
  readonly valid: (digits: string) => boolean;
}[] = [
  { word: /pesel/i, length: 11, valid: isPolishId },
  { word: /steuer|\bidnr|tax.?id/i, length: 11, valid: isGermanTaxId },
  { word: /\bbsn|burgerservice/i, length: 9, valid: isDutchId },
  {
    word: /\bssn|social security/i,
    length: 9,
    valid: (digits) => isSocialSecurityNumber(digits.replace(/^(...)(..)/, "$1-$2-")),
  },
];
const PHONE_WORD =
  /(?:\btel|phone|mobile|\bcell|\bfax|whatsapp|\bsms|\bcall(?: me| us| them)?(?: at| on)?|(?:reach|contact) (?:me|us|them|him|her) (?:at|on))(?:[ _-]?(?:number|no|nr))?["']?[.:#\s]{0,3}(?:(?:is|at|on)\s)?["']?[+(]?$/i;

function contextual(text: string, at: number, ahead: string): Span | null {
  const words = text.slice(Math.max(0, at - 40), at);
  const digits = /^\d{9,11}(?![\w-])/.exec(ahead)?.[0];
  if (
    digits !== undefined &&
    ANNOUNCED_IDS.some((id) => id.length === digits.length && id.word.test(words) && id.valid(digits))
  ) {
    return { start: at, end: at + digits.length, kind: "national_id" };
  }
  if (!PHONE_WORD.test(words)) return null;
  return phone(text, at, /^\d{7,15}|^\d{1,5}(?:[ .()/-]{1,2}\d{1,5}){1,6}/.exec(ahead)?.[0], 7);
}

function international(text: string, at: number, ahead: string): Span | null {
  return /^[1-9]/.test(ahead)
    ? phone(text, at, /^\d{1,3}(?:[ .()/-]{0,3}\d{1,5}){2,6}/.exec(ahead)?.[0], 8)
    : null;
}

/** As it is written at home: North America, France, and elsewhere with a zero in front. */
function national(text: string, at: number, ahead: string): Span | null {
  const bracket = text[at - 1] === "(";
  const american = bracket
    ? /^[2-9]\d{2}\)[ .-]{0,2}[2-9]\d{2}[ .-]\d{4}/.exec(ahead)
    : (/^(?:1[ .-])?[2-9]\d{2}([.-])[2-9]\d{2}\1\d{4}/.exec(ahead) ??
      /^1[ .-]\(?[2-9]\d{2}\)?[ .-][2-9]\d{2}[ .-]\d{4}/.exec(ahead));
  const other =
    /^0[1-9]([ .])\d{2}(?:\1\d{2}){3}|^0\d{2,4} \d{3,4} \d{3,4}|^07\d{3} \d{6}|^\(?0\d{2,4}\)[ ]\d{3,4} ?\d{3,4}/.exec(
      ahead,
    );
  return phone(text, at, american?.[0] ?? other?.[0], 10);
}

function phone(text: string, at: number, number: string | undefined, fewest: number): Span | null {
  const digits = compacted(number ?? "").length;
  if (number === undefined || digits < fewest || digits > 15 || !endsAt(text, at + number.length))
    return null;
  const start = /[+(]/.test(text[at - 1] ?? "") ? at - 1 : at;
  return {
    start: start > 0 && text[start - 1] === "+" ? start - 1 : start,
    end: at + number.length,
    kind: "phone",
  };
}

function isAddress(text: string, at: number, ip: string): boolean {
  const end = at + ip.length;
  if (isIn(text, end, WORD) || (/[.-]/.test(text[end] ?? "") && isIn(text, end + 1, ALNUM))) return false;
  const parts = ip.split(".").map(Number);
  if (parts.some((part) => part > 255) || /(?:^|\.)0\d/.test(ip)) return false;
  // This machine, any machine, every machine and masks are the same for everyone.
  if (parts[0] === 127 || parts[0] === 0 || parts[0] === 255) return false;
  const words = text.slice(Math.max(0, at - 12), at);
  if (
    /(?:[A-Za-z]\/|==|[~^]|\bv|version[:= ]{0,2}|release |build |section |chapter |clause |§ ?)$/i.test(words)
  )
    return false;
  // A chapter, not an address: small numbers, then the heading.
  return !(
    /(?:^|\n)[#\s]*$/.test(words) &&
    parts.every((part) => part < 30) &&
    /^\.? [A-Z]/.test(text.slice(end, end + 3))
  );
}

function letteredNumberAt(text: string, at: number): Span | null {
  if (/[_.-]/.test(text[at - 1] ?? "")) return null;
  const ahead = text.slice(at, at + REACH);
  const iban = /^[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){2,9}/.exec(ahead)?.[0];
  if (iban !== undefined) {
    const length = ibanLength(compacted(iban));
    const end = length === 0 ? -1 : at + positionOf(iban, length);
    if (end !== -1 && !isIn(text, end, WORD)) return { start: at, end, kind: "iban" };
  }
  const id =
    /^(?:[A-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]|[XYZ]-?\d{7}-?[A-Z]|[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z])/.exec(
      ahead,
    )?.[0];
  if (id === undefined || !endsAt(text, at + id.length)) return null;
  const compact = compacted(id);
  const valid = isNationalInsuranceNumber(compact) || isSpanishId(compact) || isItalianId(compact);
  return valid ? { start: at, end: at + id.length, kind: "national_id" } : null;
}

/** Where in `spaced` its first `length` characters that are no space end. */
function positionOf(spaced: string, length: number): number {
  let seen = 0;
  for (let at = 0; at < spaced.length; at += 1) {
    if (spaced[at] !== " ") seen += 1;
    if (seen === length) return at + 1;
  }
  return spaced.length;
}

/** No part of a longer number or word goes on behind. */
function endsAt(text: string, end: number): boolean {
  if (isIn(text, end, WORD)) return false;
  return !(/[-.,:/]/.test(text[end] ?? "") && isIn(text, end + 1, DIGIT));
}

function compacted(text: string): string {
  return text.replace(/[^A-Za-z0-9]+/g, "");
}
