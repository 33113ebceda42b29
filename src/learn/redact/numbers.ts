// Finds the numbers that belong to a person: telephone, card, bank account, identity and IPv4 addresses.
// A number has no mark of its own, so each is believed only with its checksum, its exact layout or a word that announces
// it; order numbers, dates, prices and coordinates are numbers too.
import { ALNUM, DIGIT, isIn, runEnd, WORD } from "./characters.ts";
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

/** Where a number long enough to be one of these can begin. */
const NUMBER_START =
  /(?<![A-Za-z0-9])(?:\d{2}[\d .()/+A-]{5}|\d\.[\d.]{5}|[127][ .(-]{1,2}\d{2}[\d .()-]{3}|[A-Z]{2} ?\d\d|[XYZ]-?\d{7}|[A-Z]{6}\d\d)/g;

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
  const before = text[at - 1] ?? " ";
  // The tail of a longer number: 3.14159..., 12-345-6789, a_123.
  if ("._".includes(before) || ("-,:/".includes(before) && isIn(text, at - 2, ALNUM))) return null;
  const ahead = text.slice(at, at + REACH);
  if (before === "+") return isIn(text, at - 2, ALNUM) ? null : international(text, at, ahead);

  // How many digits come first decides what the rest can be.
  const first = runEnd(text, at, DIGIT, 20) - at;
  if (first <= 3 && ahead[first] === ".") {
    const ip = /^\d{1,3}(?:\.\d{1,3}){3}/.exec(ahead)?.[0];
    if (ip !== undefined) return isAddress(text, at, ip) ? spanOf(at, ip, "ip_address") : null;
  }
  if (first === 4 || first >= 13) {
    const card = CARD.exec(ahead)?.[0];
    if (card !== undefined && endsAt(text, at + card.length) && isCardNumber(compacted(card)))
      return spanOf(at, card, "card_number");
  }
  for (const { begins, pattern, valid } of NUMBERED_IDS) {
    if (!begins.includes(first)) continue;
    const id = pattern.exec(ahead)?.[0];
    if (id !== undefined && endsAt(text, at + id.length) && valid(compacted(id), id))
      return spanOf(at, id, "national_id");
  }
  return announced(text, at, first, ahead) ?? (first <= 5 ? national(text, at, ahead) : null);
}

const CARD = /^(?:\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ -])\d{6}\2\d{4,5}|\d{13,19})/;

interface NumberedId {
  /** How many digits there can be before anything else. */
  readonly begins: readonly number[];
  readonly pattern: RegExp;
  readonly valid: (compact: string, text: string) => boolean;
}

const NUMBERED_IDS: readonly NumberedId[] = [
  { begins: [3], pattern: /^\d{3}-\d{2}-\d{4}/, valid: (_, text) => isSocialSecurityNumber(text) },
  { begins: [8], pattern: /^\d{8}-?[A-Z]/, valid: isSpanishId },
  {
    begins: [1, 3, 5, 6, 7, 15],
    pattern: /^[12] ?\d{2} ?\d{2} ?\d[\dAB] ?\d{3} ?\d{3} ?\d{2}/,
    valid: isFrenchId,
  },
  { begins: [2], pattern: /^\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}/, valid: isBelgianId },
  {
    begins: [6, 8],
    pattern: /^(?:\d{2})?\d{2}(?:0[1-9]|1[0-2])[0-3]\d[-+]\d{4}/,
    valid: (compact) => passesLuhn(compact.slice(-10)),
  },
  {
    begins: [6],
    pattern: /^[0-3]\d(?:0[1-9]|1[0-2])\d{2}[-+A]\d{3}[0-9A-Y]/,
    valid: (_, text) => isFinnishId(text),
  },
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
/** A letter and at most a few signs before the number: anything else announces nothing. */
const ANNOUNCEMENT_END = /[A-Za-z][ .:#"'(\n]{1,5}$/;
const PHONE_WORD =
  /(?:\btel|phone|mobile|\bcell|\bfax|whatsapp|\bsms|\bcall(?: me| us| them)?(?: at| on)?|(?:reach|contact) (?:me|us|them|him|her) (?:at|on))(?:[ _-]?(?:number|no|nr))?["']?[.:#\s]{0,3}(?:(?:is|at|on)\s)?["']?[+(]?$/i;

/** What the words before it say it is. */
function announced(text: string, at: number, first: number, ahead: string): Span | null {
  if (!ANNOUNCEMENT_END.test(text.slice(Math.max(0, at - 6), at))) return null;
  const words = text.slice(Math.max(0, at - 40), at);
  const digits = ahead.slice(0, first);
  if (
    endsAt(text, at + first) &&
    ANNOUNCED_IDS.some((id) => id.length === first && id.word.test(words) && id.valid(digits))
  ) {
    return spanOf(at, digits, "national_id");
  }
  if (!PHONE_WORD.test(words)) return null;
  return phone(text, at, /^\d{7,15}|^\d{1,5}(?:[ .()/-]{1,2}\d{1,9}){1,6}/.exec(ahead)?.[0], 7);
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
  // Pairs of digits that go on before or behind are a dump of bytes.
  const bytes =
    other !== null &&
    (/^[ .]\d/.test(ahead.slice(other[0].length)) ||
      /[0-9a-f]{2}[ .]$/i.test(text.slice(Math.max(0, at - 3), at)));
  if (bytes) return null;
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
  if (
    isIn(text, end, WORD) ||
    (text[end] === "." && isIn(text, end + 1, ALNUM)) ||
    /^-[A-Za-z]/.test(text.slice(end, end + 2))
  )
    return false;
  const parts = ip.split(".").map(Number);
  if (parts.some((part) => part > 255) || /(?:^|\.)0\d/.test(ip)) return false;
  // This machine, any machine, every machine and masks are the same for everyone.
  if (parts[0] === 127 || parts[0] === 0 || parts[0] === 255) return false;
  const words = text.slice(Math.max(0, at - 12), at);
  if (
    /(?:[A-Za-z]\/|==|[~^]|\bv|version[:= ]{0,2}|release |build |section |chapter |clause |oid |§ ?)$/i.test(
      words,
    )
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

function spanOf(start: number, text: string, kind: string): Span {
  return { start, end: start + text.length, kind };
}

function compacted(text: string): string {
  return text.replace(/[^A-Za-z0-9]+/g, "");
}
