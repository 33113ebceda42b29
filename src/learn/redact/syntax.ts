// How a name and its value are written: what can stand between them, and where the value begins and ends. Every
// look-ahead is bounded, and what is not bounded is measured once.
import { stickyEnd } from "./characters.ts";

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
/** The value stands on the line below, as it is or as a YAML block. */
export const NEXT_LINE = /(?:[|>][-+]?)?[ \t]{0,4}(?:\r?\n|\\r\\n|\\n)[ \t]{0,40}/y;
export const OPEN_QUOTE = /[rbfu@$]{0,2}(\\{0,7}(?:"""|'''|["'`]))/y;
export const LINE_BREAK = "\r\n";
const SPACE_OR_QUOTE = " \t\r\n\"'`";
const DELIMITER = `${SPACE_OR_QUOTE},;&<>(){}[]|`;
export const CREDENTIAL_END = `${SPACE_OR_QUOTE},;<>`;
const LINE_START = /(?:^|\n|\\n)[ \t>$-]{0,12}(?:(?:export|setx?|env|arg|declare -x)[ \t]{1,4})?["']?$/i;

/**
 * The last unquoted value measured, by what ends it. Names can stand inside one long value (`key=key=key=...`), which
 * would otherwise be measured once for each of them.
 */
export type Runs = Map<string, { readonly start: number; readonly end: number }>;

export interface Separator {
  readonly mark: string;
  readonly tight: boolean;
  /** The name stands between quotes. */
  readonly quoted: boolean;
  readonly end: number;
}

export function separatorAt(text: string, nameEnd: number, name: string): Separator | null {
  // Nearly every name in a text is followed by something else: one look settles it.
  if (!SEPARATOR_START.includes(text[nameEnd] ?? "?")) return null;
  SEPARATOR.lastIndex = nameEnd;
  const [, quote, mark = "", space] = SEPARATOR.exec(text) ?? [];
  if (mark !== "") {
    const field = mark === "," ? stickyEnd(VALUE_FIELD, text, nameEnd) : -1;
    if (field !== -1) return { mark, tight: false, quoted: true, end: field };
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

export interface Value {
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
}

export function valueAt(text: string, at: number, nameStart: number, runs: Runs): Value {
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

export function unquotedEnd(text: string, start: number, stops: string, runs: Runs): number {
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

export function endsLine(text: string, at: number): boolean {
  return /^[ \t]{0,4}(?:$|[\r\n]|\\[nr])/.test(text.slice(at, at + 8));
}

function isLineStart(text: string, start: number): boolean {
  if (start === 0 || text[start - 1] === "\n") return true;
  const from = Math.max(0, start - 32);
  // The letter keeps a cut that falls inside a line from looking like the beginning of one.
  return LINE_START.test((from === 0 ? "" : "a") + text.slice(from, start));
}
