// Finds secrets by the name they are given: `password=...`, `"api_key": "..."`, `--token ...`, `Authorization: ...`,
// in shell, .env, YAML, JSON (also escaped), URLs, XML, SQL and code. Every look-ahead is bounded, so that a text full of
// names costs no more than a text full of anything else.
import { ALNUM, BASE64, DASH, DOT, runEnd, runStart, TILDE, URL64, WORD } from "./characters.ts";
import { secretName, type SecretName } from "./names.ts";
import type { Span } from "./spans.ts";
import { isInert, isPlainWord, looksRandom } from "./values.ts";

const KEYWORD =
  /pass|pwd|secret|token|key|cred|auth|jwt|bearer|basic |cookie|sess|sid\b|sig|hmac|\bpat\b|\bpw\b|identified by|mnemonic|kennwort|contrasena|senha|wachtwoord|contribsys|sonar.login/gi;

const NAME = WORD | DASH | DOT;
const LONGEST_NAME = 64;
const LONGEST_VALUE = 4096;

const SEPARATOR =
  /\]?(\\{0,7}["'`])?\]?[ \t]{0,4}[!?]?(?::?[ \t]{0,2}(?:string|str|String|&str|char\*?|std::string)[ \t]{0,4}(?==))?\*{0,2}(:{1,3}=|=>|\?=|\.=|\+=|->|={1,3}|\|{1,2}|:|,|>|%3D|%3A)\*{0,2}([ \t]{0,8})/y;
const SEPARATOR_START = "\\\"'`] \t!?*:=|,>%.+-";
/** `<add key="Password" value="...">`, `<input name="password" value="...">` */
const VALUE_ATTRIBUTE = /["'][ \t]{1,4}value[ \t]{0,2}=[ \t]{0,2}(?=["'])/y;
/** `{"name": "password", "value": "..."}`, `fill(element='password', text='...')` */
const VALUE_FIELD =
  /\\{0,3}["'],[ \t]{0,2}\\{0,3}["']?(?:value|text|content|input)\\{0,3}["']?[ \t]{0,2}[:=][ \t]{0,2}(?=\\{0,3}["'])/y;
/** `--password hunter2`, `my password is hunter2`, `WITH PASSWORD 'hunter2'` */
const AFTER_FLAG = /[ \t]{1,4}(?=[^\s|=-])/y;
const AFTER_IS =
  /[ \t]{1,2}(?:(?:for|of|to|on)[ \t][\w .@'-]{1,40}?[ \t])?(?:(?:is|was)(?:[ \t]?:)?|[-–—])[ \t]{1,2}/iy;
/** `use password hunter2`: nothing between, so that the value itself must leave no doubt. */
const AFTER_GAP = / (?=[A-Za-z0-9])/y;
const BEFORE_QUOTE = /[ \t]{1,2}(?=["'])/y;
const NEXT_LINE = /(?:[|>][-+]?)?[ \t]{0,4}(?:\r?\n|\\r\\n|\\n)[ \t]{0,40}/y;
const OPEN_QUOTE = /[rbfu@$]{0,2}(\\{0,7}(?:"""|'''|["'`]))/y;
const SCHEME =
  /(Basic|Bearer|Token|ApiKey|Api-Key|Digest|Negotiate|Key|OAuth|JWT|SSWS|Splunk|Bot|AWS4-HMAC-SHA256)[ \t]{1,4}/iy;
const LINE_BREAK = "\r\n";
const SPACE_OR_QUOTE = " \t\r\n\"'`";
const DELIMITER = `${SPACE_OR_QUOTE},;&<>(){}[]|`;
const CREDENTIAL_END = `${SPACE_OR_QUOTE},;<>`;
const LINE_START = /(?:^|\n|\\n)[ \t>$-]{0,12}(?:(?:export|setx?|env|arg|declare -x)[ \t]{1,4})?["']?$/i;

/**
 * The last unquoted value measured, by what ends it. Names can stand inside one long value (`key=key=key=...`), which
 * would otherwise be measured once for each of them.
 */
type Runs = Map<string, { readonly start: number; readonly end: number }>;

export function findAssigned(text: string, spans: Span[]): void {
  const runs: Runs = new Map();
  KEYWORD.lastIndex = 0;
  for (let hit = KEYWORD.exec(text); hit !== null; hit = KEYWORD.exec(text)) {
    const start = runStart(text, hit.index, NAME, LONGEST_NAME);
    let end = runEnd(text, Math.max(hit.index, start), NAME, LONGEST_NAME);
    while (text[end - 1] === "." || text[end - 1] === "-") end -= 1;
    end = Math.max(end, hit.index + hit[0].length);
    const next = valueAfter(text, start, end, runs);
    if (next !== null) spans.push(next);
    KEYWORD.lastIndex = next === null ? end : next.end;
  }
}

/** For a name and a value that a structure holds apart, such as a field of the metadata. */
export function kindOfAssigned(name: string, value: string): string | null {
  const meaning = secretName(name);
  if (meaning === null) return null;
  if (meaning.trust === "header") {
    const span = credentialAt(value, 0, new Map());
    return span === null ? null : meaning.kind;
  }
  const assigned = { mark: ":", tight: false, wholeLine: true, nextLine: false };
  return isSecret(meaning, value, true, assigned) ? meaning.kind : null;
}

interface Assignment {
  /** The operator: `=`, `:` ..., or the word or gap that stands for one. */
  readonly mark: string;
  /** Nothing between the operator and the value: `password=x`, not `password = x`. */
  readonly tight: boolean;
  readonly wholeLine: boolean;
  readonly nextLine: boolean;
}

function valueAfter(text: string, start: number, nameEnd: number, runs: Runs): Span | null {
  const name = text.slice(start, nameEnd);
  const scheme = schemeCredential(text, name, nameEnd);
  if (scheme !== null) return scheme;
  const separator = separatorAt(text, start, nameEnd, name);
  if (separator === null) return null;
  const meaning = /identified by$/i.test(name) ? PASSWORD : secretName(name, wordBefore(text, start));
  if (meaning === null) return null;
  if (meaning.trust === "header") return credentialAt(text, separator.end, runs);

  const { mark } = separator;
  if (mark === ">" && (text[start - 1] !== "<" || /_\d+$/.test(name))) return null;
  const nextLine = mark.length <= 2 ? stickyEnd(NEXT_LINE, text, separator.end) : -1;
  const value = valueAt(text, nextLine === -1 ? separator.end : nextLine, start, runs);
  // Two arguments, not two files of which the first is /etc/passwd.
  if (mark === "," && !(separator.quoted && value.quoted && text[start - 1] !== "/")) return null;
  const following = text[value.end] ?? "";
  const call = !value.quoted && (following === "(" || following === "[") ? following : "";
  const assignment = {
    mark,
    tight: separator.tight,
    nextLine: nextLine !== -1,
    wholeLine: endsLine(text, value.end),
  };
  if (!isSecret(meaning, text.slice(value.start, value.end) + call, value.quoted, assignment)) return null;
  const kind = /aws/i.test(name) && value.end - value.start === 40 ? "aws_secret_key" : meaning.kind;
  return { start: value.start, end: value.end, kind };
}

const PASSWORD: SecretName = { trust: "password", kind: "password" };

/** Whether this value under this name is to be hidden. */
function isSecret(meaning: SecretName, value: string, quoted: boolean, how: Assignment): boolean {
  if (how.mark === " ") return isSecretOnSight(meaning, value);
  if (meaning.trust === "random") return looksRandom(value) && !isInert(value, quoted);
  if (meaning.trust === "weak")
    return value.length >= 20 && hasAllKinds(value) && looksRandom(value) && !isInert(value, quoted);
  if (isInert(value, quoted)) return false;
  const plain = isPlainWord(value);
  if (how.nextLine) return !plain && value.length >= 6 && how.wholeLine && !/\s|[:\]]$/.test(value);
  // Marks that often stand between two things that are no name and value.
  if (how.mark === ",") return !plain && value.length >= 4 && /\d/.test(value);
  if (/^(?:\||->|is|>)/.test(how.mark)) return !plain && value.length >= 4 && /[^A-Za-z\s]/.test(value);
  if (/^={2,}$/.test(how.mark)) return quoted && !plain;
  if (quoted) return meaning.trust === "password" || !plain || value.length >= 8;
  if (!plain) return value.length >= 4;
  return (how.mark === "=" && how.tight && value.length >= 4) || (how.wholeLine && value.length >= 8);
}

/** After a mere space: no word, no name of a method (`sha256`), nothing short. */
function isSecretOnSight(meaning: SecretName, value: string): boolean {
  if (meaning.trust === "password") {
    return (
      value.length >= 7 &&
      /[a-z]/i.test(value) &&
      /\d/.test(value) &&
      /^[A-Za-z]{3}/.test(value) &&
      !METHOD.test(value)
    );
  }
  return (
    meaning.trust === "random" &&
    /^(?:api_key|token)$/.test(meaning.kind) &&
    value.length >= 20 &&
    looksRandom(value)
  );
}

const METHOD =
  /^(?:sha|md|bcrypt|scrypt|argon|pbkdf|base|utf|oauth|step|field|version|http|page|input|test|user|room|part)[-_]?\d/i;

function hasAllKinds(value: string): boolean {
  const head = value.slice(0, 128);
  return /[a-z]/.test(head) && /[A-Z]/.test(head) && /\d/.test(head);
}

interface Separator {
  readonly mark: string;
  readonly tight: boolean;
  /** The name stands between quotes. */
  readonly quoted: boolean;
  readonly end: number;
}

function separatorAt(text: string, start: number, nameEnd: number, name: string): Separator | null {
  // Nearly every name in a text is followed by something else: one look settles it.
  if (!SEPARATOR_START.includes(text[nameEnd] ?? "?")) return null;
  const field = stickyEnd(VALUE_FIELD, text, nameEnd);
  if (field !== -1) return { mark: ",", tight: false, quoted: true, end: field };
  SEPARATOR.lastIndex = nameEnd;
  const [, quote, mark = "", space] = SEPARATOR.exec(text) ?? [];
  if (mark !== "") {
    const plain = mark.startsWith("%") ? "=" : mark;
    return { mark: plain, tight: space === "", quoted: quote !== undefined, end: SEPARATOR.lastIndex };
  }
  const attribute = stickyEnd(VALUE_ATTRIBUTE, text, nameEnd);
  if (attribute !== -1) return { mark: "=", tight: true, quoted: true, end: attribute };
  const is = stickyEnd(AFTER_IS, text, nameEnd);
  if (is !== -1) return { mark: "is", tight: false, quoted: false, end: is };
  const flag = name.startsWith("--");
  const toValue = stickyEnd(flag ? AFTER_FLAG : BEFORE_QUOTE, text, nameEnd);
  if (toValue !== -1) return { mark: flag ? ":" : "is", tight: false, quoted: false, end: toValue };
  const gap = stickyEnd(AFTER_GAP, text, nameEnd);
  return gap === -1 ? null : { mark: " ", tight: false, quoted: false, end: gap };
}

interface Value {
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
}

function valueAt(text: string, at: number, nameStart: number, runs: Runs): Value {
  OPEN_QUOTE.lastIndex = at;
  const quote = OPEN_QUOTE.exec(text)?.[1];
  if (quote !== undefined) {
    const start = OPEN_QUOTE.lastIndex;
    const end = closingQuote(text, start, quote);
    if (end !== -1) return { start, end, quoted: true };
    return { start, end: unquotedEnd(text, start, SPACE_OR_QUOTE, runs), quoted: false };
  }
  // A setting on a line of its own goes to the end of the word; elsewhere a comma or bracket may end it.
  const ownLine = isLineStart(text, nameStart);
  let end = unquotedEnd(text, at, ownLine ? SPACE_OR_QUOTE : DELIMITER, runs);
  while (end > at && (ownLine ? ",;)}]" : ",;)}].").includes(text[end - 1] ?? "?")) end -= 1;
  return { start: at, end, quoted: false };
}

function closingQuote(text: string, start: number, quote: string): number {
  if (quote.length > 1) {
    const found = text.slice(start, start + LONGEST_VALUE).indexOf(quote);
    return found === -1 ? -1 : start + found;
  }
  for (let at = start; at < start + LONGEST_VALUE && at < text.length; at += 1) {
    if (text[at] === quote) return at;
    if (text[at] === "\n") return -1;
    if (text[at] === "\\") at += 1;
  }
  return -1;
}

function unquotedEnd(text: string, start: number, stops: string, runs: Runs): number {
  const known = runs.get(stops);
  if (known !== undefined && known.start <= start && start < known.end) return known.end;
  let end = start;
  while (end < text.length && !stops.includes(text[end] ?? "") && !isEscapedStop(text, end)) end += 1;
  runs.set(stops, { start, end });
  return end;
}

/** A line break or quote that is still escaped, `&` or `"` that is percent-encoded. */
function isEscapedStop(text: string, at: number): boolean {
  if (text[at] === "\\") return "nrt\"'\\".includes(text[at + 1] ?? "?");
  return text[at] === "%" && text[at + 1] === "2" && "26".includes(text[at + 2] ?? "?");
}

/** What follows `Authorization:`: the scheme stays, its credentials go. */
function credentialAt(text: string, from: number, runs: Runs): Span | null {
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
function schemeCredential(text: string, name: string, nameEnd: number): Span | null {
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
  if (value.length < 8 || value.length > LONGEST_VALUE || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return false;
  return /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(Buffer.from(value, "base64").toString("latin1"));
}

function runEndOfSpaces(text: string, from: number): number {
  let at = from;
  while (at < from + 4 && text[at] === " ") at += 1;
  return at;
}

function endsLine(text: string, at: number): boolean {
  return /^[ \t]{0,4}(?:$|[\r\n]|\\[nr])/.test(text.slice(at, at + 8));
}

/** The word before the name if a space is all that parts them: `API key`, `primary key`. */
function wordBefore(text: string, start: number): string {
  if (text[start - 1] !== " ") return "";
  return text.slice(runStart(text, start - 1, ALNUM, LONGEST_NAME), start - 1);
}

function isLineStart(text: string, start: number): boolean {
  if (start === 0 || text[start - 1] === "\n") return true;
  const from = Math.max(0, start - 32);
  // The letter keeps a cut that falls inside a line from looking like the beginning of one.
  return LINE_START.test((from === 0 ? "" : "a") + text.slice(from, start));
}

function stickyEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}
