/**
 * Reads a decision: which actions it holds, whatever form the agent writes them in. The most explicit form wins (a call
 * in JSON before a fence before a plain line), so that prose around a call is never mistaken for a second action.
 * Never throws, reads a bounded part of any text, and takes linear time.
 */
import type { Action } from "../domain/action.ts";
import { fencesOf, looksLikeCode, readCode, readFence } from "./actions/code.ts";
import { readTextCommand } from "./actions/commands.ts";
import { readFunctionCall } from "./actions/function-calls.ts";
import { readArguments, readJsonCalls } from "./actions/json-calls.ts";
import type { QueryWords } from "./actions/query-words.ts";
import { readSentence } from "./actions/sentences.ts";
import { looksLikeShell, readShell } from "./actions/shell.ts";
import { readTagCalls } from "./actions/tag-calls.ts";
import { writeAction } from "./actions/write-action.ts";

const HEAD_LIMIT = 12_000;
/** Agents that think aloud put the action last. */
const TAIL_LIMIT = 4_000;
const ACTION_LIMIT = 20;
const LINE_LIMIT = 200;

export interface Decision {
  /** Who decided, where a multi-agent log says so in front: `[Planner] …`. */
  readonly speaker: string | null;
  /** The decision without its speaker, cut to what is read. */
  readonly body: string;
  /** Empty only when the decision is blank. */
  readonly actions: readonly Action[];
}

export function parseDecision(decision: string, query: QueryWords): Decision {
  const text = cut(decision);
  const speaker = /^\s{0,9}\[([A-Za-z][\w .>()-]{0,80})\]\s+(?=\S)/.exec(text);
  const body = (speaker === null ? text : text.slice(speaker[0].length)).trim();
  return { speaker: speaker?.[1] ?? null, body, actions: parseActions(body, query) };
}

export function parseActions(text: string, query: QueryWords): Action[] {
  const body = cut(text).trim();
  if (body === "") return [];
  return readForms(body, query).slice(0, ACTION_LIMIT);
}

function cut(text: string): string {
  if (text.length <= HEAD_LIMIT + TAIL_LIMIT) return text;
  return `${text.slice(0, HEAD_LIMIT)}\n${text.slice(-TAIL_LIMIT)}`;
}

function readForms(body: string, query: QueryWords, labels = true): Action[] {
  const explicit = firstFound([
    () => readJsonCalls(body, query),
    () => readTagCalls(body, query),
    () => (labels ? readReact(body, query) : []),
    () => list(readFunctionCall(body, query)),
    () => fencesOf(body).flatMap((fence) => readFence(fence, query)),
    () => readLines(body, query),
  ]);
  if (explicit.length > 0) return explicit;
  const line = body.includes("\n") ? null : readTextCommand(body.replace(/^>\s?/, ""), query);
  if (line !== null) return [line];
  if (looksLikeCode(body)) return [readCode("code", body)];
  return [readSentence(body, query)];
}

function firstFound(forms: readonly (() => Action[])[]): Action[] {
  for (const read of forms) {
    const found = read();
    if (found.length > 0) return found;
  }
  return [];
}

/** `Thought: … Action: search Action Input: {…}`; the last action counts, earlier ones are quoted history. */
function readReact(body: string, query: QueryWords): Action[] {
  const labels = [
    ...body.matchAll(
      /^[ \t>*#-]{0,6}(?:action|act|command|tool)(?: ?\d{1,3})?\*{0,2}[ \t]?:\*{0,2}[ \t]*/gim,
    ),
  ];
  const label = labels.at(-1);
  if (label === undefined) return [];
  const rest = body.slice(label.index + label[0].length);
  const input =
    /^[ \t>*#-]{0,6}(?:action|tool)[ _]?(?:input|arguments|args)(?: ?\d{1,3})?\*{0,2}[ \t]?:\*{0,2}[ \t]*/im.exec(
      rest,
    );
  const next =
    /\n[ \t]*(?:observation|thought|result)(?: ?\d{1,3})?[ \t]?:/i.exec(rest)?.index ?? rest.length;
  if (input === null || input.index > next) {
    const named = rest.slice(0, next).trim();
    // What follows the label is read once more, without looking for a label in it again.
    return named === "" ? [] : readForms(named, query, false);
  }
  const name = rest.slice(0, input.index).trim().replace(/^`|`$/g, "");
  const given = rest.slice(input.index + input[0].length, next).trim();
  return [writeAction("call", name.split("\n", 1)[0] ?? "", given === "" ? [] : readArguments(given, query))];
}

/** Lines that are a call or a command from end to end, among whatever else was said. */
function readLines(body: string, query: QueryWords): Action[] {
  const lines = body.split("\n", LINE_LIMIT);
  return lines.flatMap((raw) => {
    const line = raw.trim().replace(/^`([^`]+)`$/, "$1");
    if (line.length > 4_000) return [];
    if (/^\$ \S/.test(line)) return readShell(line, query);
    const call = lines.length > 1 ? readFunctionCall(line, query) : null;
    if (call !== null) return [call];
    return looksLikeShell(line) ? readShell(line, query) : [];
  });
}

function list(action: Action | null): Action[] {
  return action === null ? [] : [action];
}
