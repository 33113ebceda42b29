/** Finds the error in a result and takes its values away. */
import type { ErrorSignature } from "../domain/analysis.ts";
import { shapeOf } from "./shape.ts";

const HEAD_LIMIT = 6_000;
/** A traceback says what happened in its last line. */
const TAIL_LIMIT = 3_000;
/** Above this a text is a page or a document, where everyday words such as "cannot" mean nothing. */
const SHORT_RESULT = 400;

const THROWN =
  /^(?:E[ \t]{1,8})?[ \t>|]{0,8}(?:[\w.]{1,60}\.)?([A-Z]\w{0,50}(?:Error|Exception|Fault|Failure|Panic|Timeout))\b:?[ \t]*([^\n]{0,300})/gm;
const ANNOUNCED =
  /^[ \t>|[]{0,8}(?:error|fatal|panic|err!|failure)\b(?:\[\w{1,12}\])?[:\]][ \t]*([^\n]{0,300})/im;
const EXIT =
  /\bexit(?:ed)?[ _-]?(?:with )?(?:code|status)[ \t]?[:=]?[ \t]?(-?\d{1,5})\b|non-zero exit status (\d{1,5})/i;
const HTTP =
  /\b(?:http(?:\/\d(?:\.\d)?)?|status(?:[ _]code)?|response code|error(?: code)?)["']?[ \t]?[:=]?[ \t]?([45]\d\d)\b|\b([45]\d\d) (?:bad request|unauthorized|payment required|forbidden|not found|method not allowed|conflict|gone|unprocessable|too many requests|internal server error|bad gateway|service unavailable|gateway timeout)/i;
const FLAGGED =
  /"(?:error|errors|error_message|exception)"[ \t\n]{0,4}:[ \t\n]{0,4}(?!null|false|""|\[\]|\{\}|0\b)(?:"([^"\n]{0,300})|[[{\w])/i;
const REFUSED =
  /"(?:success|ok|succeeded)"[ \t\n]{0,4}:[ \t\n]{0,4}false\b|"is_?error"[ \t\n]{0,4}:[ \t\n]{0,4}true\b|"status"[ \t\n]{0,4}:[ \t\n]{0,4}"(?:error|failed|failure)"/i;
const WORDED =
  /\b(?:is required|are required|must be|must not|can(?:not|'t| not)|could(?: not|n't)|failed|fails? to|invalid|denied|unable to|not (?:allowed|found|permitted|supported|recogni[sz]ed|available|enough|valid)|no such|does(?: not|n't) exist|don't understand|unknown (?:command|action|option|tool|argument)|unexpected|timed? out|forbidden|unauthori[sz]ed|out of range|missing (?:required|argument|parameter))\b/i;
/** Codes that are made for errors; an order number in the message looks much like other codes. */
const CODE = /\b(E[A-Z]{3,12}|ERR_[A-Z_]{2,40}|E\d{3,5}|TS\d{4}|[A-Z]{2,6}-\d{4,5}|Errno -?\d{1,4})\b/;

/** null: the result shows no error. A zero exit code says so even when the output speaks of errors. */
export function findError(result: string): ErrorSignature | null {
  const text =
    result.length > HEAD_LIMIT + TAIL_LIMIT
      ? `${result.slice(0, HEAD_LIMIT)}\n${result.slice(-TAIL_LIMIT)}`
      : result;
  const exit = EXIT.exec(text);
  const exitCode = exit?.[1] ?? exit?.[2] ?? null;
  if (exitCode === "0") return null;
  const thrown = lastThrown(text);
  if (thrown !== null) return signature(thrown.name, CODE.exec(thrown.message)?.[1] ?? null, thrown.message);
  const announced = ANNOUNCED.exec(text)?.[1];
  if (announced !== undefined)
    return signature("error", httpCode(text) ?? CODE.exec(announced)?.[1] ?? null, announced);
  const flagged = isData(text) ? (FLAGGED.exec(text) ?? REFUSED.exec(text)) : null;
  if (flagged !== null) return signature("error", httpCode(text), flagged[1] ?? lineAt(text, flagged.index));
  if (exitCode !== null) return signature("exit", exitCode, lastLine(withoutExitLines(text)));
  return findWorded(text, result.length);
}

function findWorded(text: string, length: number): ErrorSignature | null {
  if (isData(text)) return null;
  const http = HTTP.exec(text);
  if (http !== null && length <= SHORT_RESULT * 4)
    return signature("http", http[1] ?? http[2] ?? null, lineAt(text, http.index));
  if (length > SHORT_RESULT) return null;
  const worded = WORDED.exec(text);
  return worded === null ? null : signature(null, CODE.exec(text)?.[1] ?? null, lineAt(text, worded.index));
}

/** Data quotes words that are no statement about the call itself. */
function isData(text: string): boolean {
  return /^\s*(?:[{[]\s*["{[\]}\d]|<\?xml|<html)/i.test(text.slice(0, 200));
}

function lastThrown(text: string): { name: string; message: string } | null {
  let found: { name: string; message: string } | null = null;
  for (const match of text.matchAll(THROWN)) found = { name: match[1] ?? "", message: match[2] ?? "" };
  return found;
}

function httpCode(text: string): string | null {
  const found = HTTP.exec(text);
  return found?.[1] ?? found?.[2] ?? null;
}

function lineAt(text: string, index: number): string {
  const from = text.lastIndexOf("\n", index) + 1;
  const to = text.indexOf("\n", index);
  return text.slice(from, to < 0 ? text.length : to).slice(0, 300);
}

/** What was said before the exit code tells more than the code. */
function withoutExitLines(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !EXIT.test(line));
  return lines.length === 0 ? text : lines.join("\n");
}

function lastLine(text: string): string {
  return lineAt(text.trimEnd(), text.trimEnd().length - 1);
}

function signature(name: string | null, code: string | null, message: string): ErrorSignature {
  const shape = shapeOf(message, 120);
  const words = shape.match(/\p{L}{3,}/gu)?.length ?? 0;
  const named = name !== null && name !== "error" && name !== "exit";
  const specificity = [named, code !== null, words >= 2, words >= 4 || shape.includes("{")].filter(
    Boolean,
  ).length;
  return { class: name, code, shape, specificity };
}
