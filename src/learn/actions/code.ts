import type { Action, Slot } from "../../domain/action.ts";
import { readJsonCalls } from "./json-calls.ts";
import type { QueryWords } from "./query-words.ts";
import { looksLikeShell, readShell } from "./shell.ts";
import { writeAction } from "./write-action.ts";

export interface Fence {
  readonly language: string;
  readonly body: string;
}

const SHELLS = /^(?:bash|sh|shell|zsh|console|terminal|powershell|cmd)$/i;
/** Calls that any program makes and that say nothing about what it is for. */
const PLUMBING = new Set(
  (
    "print len range str int float list dict set tuple open sorted enumerate zip map filter isinstance type min max sum " +
    "abs round join split strip append format if for while return switch catch function and or not in elif def class"
  ).split(" "),
);
const CALL_NAMES = 6;

/** Fenced blocks; one that is never closed runs to the end, as in a reply that was cut off. */
export function fencesOf(text: string): Fence[] {
  const parts = text.split("```");
  const fences: Fence[] = [];
  for (let at = 1; at < parts.length; at += 2) {
    const part = parts[at] ?? "";
    const language = /^[\w+#.-]{0,20}/.exec(part)?.[0] ?? "";
    const firstLine = part.slice(0, part.indexOf("\n") < 0 ? part.length : part.indexOf("\n"));
    const tagged = firstLine.trim() === language;
    fences.push({
      language: tagged ? language.toLowerCase() : "",
      body: tagged ? part.slice(language.length) : part,
    });
  }
  return fences;
}

/** A fence is an action when it is a program or a call; quoted text and tables are not. */
export function readFence(fence: Fence, query: QueryWords): Action[] {
  const body = fence.body.trim();
  if (body === "") return [];
  if (SHELLS.test(fence.language)) return readShell(body, query);
  const json = readJsonCalls(body, query);
  if (json.length > 0) return json;
  if (fence.language === "" || fence.language === "text" || fence.language === "json") {
    if (looksLikeShell(body.split("\n", 1)[0] ?? "")) return readShell(body, query);
    return looksLikeCode(body) ? [readCode("code", body)] : [];
  }
  return [readCode(fence.language, body)];
}

export function looksLikeCode(text: string): boolean {
  return /^\s{0,8}(?:import \w|from [\w.]{1,80} import |def \w{1,80}\(|const \w{1,80} =|class \w{1,80}[:({])/m.test(
    text,
  );
}

/** A program is known by the functions it calls: its text is never the same twice. */
export function readCode(language: string, body: string): Action {
  const names = new Set<string>();
  for (const match of body.matchAll(/(?<![\w.])([A-Za-z_][\w.]{1,60})\(/g)) {
    const name = match[1] ?? "";
    if (!PLUMBING.has(name) && !PLUMBING.has(name.split(".").at(-1) ?? "")) names.add(name);
    if (names.size >= CALL_NAMES) break;
  }
  const slots = [...names].map((name): Slot => ({
    name: "calls",
    type: "word",
    value: name,
    kind: null,
    instance: null,
    fromQuery: [],
  }));
  return writeAction("code", `run ${language === "" ? "code" : language}`, slots);
}
