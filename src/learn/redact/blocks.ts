// Finds secrets that are several lines long: private keys in PEM or PuTTY form, Kubernetes secrets, JSON web keys.
import { BASE64, runStart, stickyEnd } from "./characters.ts";
import type { Span } from "./spans.ts";
import { isInert } from "./values.ts";

const BEGIN = "-----BEGIN";
const BEGIN_LINE = /-----BEGIN[A-Z0-9 ]{0,40} ?PRIVATE KEY(?: BLOCK)?-----/y;
const END = "-----END";
const END_LINE = /-----END[A-Z0-9 ]{0,40} ?PRIVATE KEY(?: BLOCK)?-----/y;
const LONGEST_KEY = 32_768;

/** A line of a key, or of its headers, up to and with the line break, be it real or escaped any number of times. */
const KEY_LINE =
  /(?:\s|\\{1,8}[nrt]){0,80}(?:[A-Za-z0-9+/=]{16,200}|[A-Za-z0-9+/]{1,15}=[=A-Za-z0-9]{0,5}|(?:Proc-Type|DEK-Info|Version|Comment|Hash):[^\n\\]{0,120})(?=[\s\\"'`,]|$|-----)/y;

export function findPrivateKeys(text: string, spans: Span[]): void {
  let nextEnd = text.indexOf(END);
  let covered = 0;
  for (let at = text.indexOf(BEGIN); at !== -1; at = text.indexOf(BEGIN, at + BEGIN.length)) {
    const body = stickyEnd(BEGIN_LINE, text, at);
    if (body === -1) continue;
    if (nextEnd !== -1 && nextEnd < body) nextEnd = text.indexOf(END, body);
    const nextBegin = text.indexOf(BEGIN, body);
    const closed =
      nextEnd !== -1 && (nextBegin === -1 || nextEnd < nextBegin) && nextEnd - body < LONGEST_KEY;
    const keyEnd = closed ? stickyEnd(END_LINE, text, nextEnd) : -1;
    const end = keyEnd === -1 ? linesEnd(text, body) : keyEnd;
    if (end > body && /[A-Za-z0-9+/]{4}/.test(text.slice(body, keyEnd === -1 ? end : nextEnd))) {
      spans.push({ start: at, end, kind: "private_key" });
      covered = end;
    }
  }
  findKeyTails(text, covered, spans);
  for (let at = text.indexOf("Private-Lines:"); at !== -1; at = text.indexOf("Private-Lines:", at + 14)) {
    const body = stickyEnd(/Private-Lines: \d{1,4}/y, text, at);
    const end = body === -1 ? -1 : linesEnd(text, body);
    if (end > body) spans.push({ start: body, end, kind: "private_key" });
  }
}

/** The lines of a key whose end is cut off. */
function linesEnd(text: string, from: number): number {
  let end = from;
  for (let next = stickyEnd(KEY_LINE, text, end); next !== -1; next = stickyEnd(KEY_LINE, text, end))
    end = next;
  return end;
}

/** The lines of a key whose beginning is cut off: back from its last line as far as they look like a key's. */
function findKeyTails(text: string, from: number, spans: Span[]): void {
  for (let at = text.indexOf(END, from); at !== -1; at = text.indexOf(END, at + END.length)) {
    const end = stickyEnd(END_LINE, text, at);
    if (end === -1) continue;
    let start = at;
    let longest = 0;
    while (at - start < LONGEST_KEY) {
      const lineEnd = beforeBreaks(text, start);
      const lineStart = afterEscape(text, runStart(text, lineEnd, BASE64, 4096));
      const length = lineEnd - lineStart;
      // The last line of a key is short; any other that is short is a word.
      if (length < (start === at ? 1 : 16)) break;
      longest = Math.max(longest, length);
      start = lineStart;
    }
    if (longest >= 32) spans.push({ start, end, kind: "private_key" });
  }
}

function beforeBreaks(text: string, to: number): number {
  let at = to;
  for (;;) {
    if (/\s/.test(text[at - 1] ?? "")) at -= 1;
    else if (text[at - 2] === "\\" && /[nr]/.test(text[at - 1] ?? "")) at -= 2;
    else return at;
  }
}

function afterEscape(text: string, at: number): number {
  return text[at - 1] === "\\" && /[nr]/.test(text[at] ?? "") ? at + 1 : at;
}

const SECRET_MANIFEST = /\bkind["']?:[ \t]{0,4}["']?Secret\b/g;
const DATA = /\b(?:data|stringData)["']?:[ \t]{0,4}(?=[\r\n{])/g;
const DATA_LINE = /[^\n]{0,2000}(?:\n|$)/y;
const DATA_ENTRY =
  /^([ \t{,]{0,40}["']?[\w.-]{1,100}["']?[ \t]{0,2}:[ \t]{1,4}["']?)([A-Za-z0-9+/=_.-]{6,2000})["',}]{0,3}[ \t]{0,8}\r?\n?$/;
const REACH = 2000;

/** A Kubernetes secret: every value under `data:` is one, whatever its name. */
export function findManifestSecrets(text: string, spans: Span[]): void {
  if (!text.includes("Secret")) return;
  let done = 0;
  for (const manifest of text.matchAll(SECRET_MANIFEST)) {
    const from = Math.max(done, manifest.index - REACH);
    const to = manifest.index + REACH;
    for (const data of text.slice(from, to).matchAll(DATA)) {
      const start = from + data.index + data[0].length;
      if (start >= done) done = findEntries(text, start, spans);
    }
    done = Math.max(done, to);
  }
}

/** The `name: value` lines that begin at `from`. Returns where they end. */
function findEntries(text: string, from: number, spans: Span[]): number {
  let at = from;
  for (let next = stickyEnd(DATA_LINE, text, at); next > at; next = stickyEnd(DATA_LINE, text, at)) {
    const line = text.slice(at, next);
    const [, before = "", value = ""] = DATA_ENTRY.exec(line) ?? [];
    if (value !== "" && !isInert(value, true)) {
      spans.push({ start: at + before.length, end: at + before.length + value.length, kind: "secret" });
    } else if (line.trim() !== "") break;
    at = next;
  }
  return at;
}

/** The private numbers of a JSON web key. */
export function findWebKeys(text: string, spans: Span[]): void {
  if (!text.includes("kty")) return;
  for (const match of text.matchAll(
    /(["']?)(?:d|p|q|dp|dq|qi|k)\1["\\]{0,4}[ ]{0,2}:[ ]{0,2}[\\]{0,3}["']([A-Za-z0-9_-]{20,1400})(?=\\{0,3}["'])/g,
  )) {
    const value = match[2] ?? "";
    const start = match.index + match[0].length - value.length;
    spans.push({ start, end: start + value.length, kind: "private_key" });
  }
}
