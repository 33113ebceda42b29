import type { Action, Slot } from "../../domain/action.ts";
import { readArguments, readJsonCalls } from "./json-calls.ts";
import type { QueryWords } from "./query-words.ts";
import { slotOf } from "./values.ts";
import { writeAction } from "./write-action.ts";

const CALL_LIMIT = 20;

/** Tags that wrap text of a reply, not a call. Redaction's own placeholders end in a number and never close. */
const PROSE_TAGS =
  /^(?:think|thinking|thought|thoughts|reasoning|analysis|answer|p|b|i|br|div|span|code|pre|ul|li|a)$/i;

/**
 * Calls in tags: `<tool_call>{json}</tool_call>`, `<invoke name="x"><parameter name="y">…`, `<function=x>{json}</function>`,
 * `<read_file><path>…</path></read_file>`. Each tag is closed by the next closing tag of its own name.
 */
export function readTagCalls(text: string, query: QueryWords): Action[] {
  if (!text.includes("</")) return [];
  return closedTags(text).flatMap((tag) => readTag(tag, query));
}

interface Tag {
  readonly name: string;
  readonly attributes: string;
  readonly body: string;
}

function readTag(tag: Tag, query: QueryWords): Action[] {
  if (PROSE_TAGS.test(tag.name)) return [];
  const json = readJsonCalls(tag.body, query);
  if (json.length > 0) return json;
  const named =
    /name\s*=\s*["']?([\w.-]{1,80})/.exec(tag.attributes)?.[1] ??
    /^=\s*([\w.-]{1,80})/.exec(tag.attributes)?.[1];
  const inner = closedTags(tag.body);
  if (named === undefined && inner.some((child) => isNamed(child)))
    return inner.flatMap((child) => readTag(child, query));
  if (named === undefined && inner.length === 0 && !/^(?:tool|action|command|execute)/i.test(tag.name))
    return [];
  const toolTag = inner.find((child) => /^(?:name|tool|tool_name)$/i.test(child.name));
  const verb = named ?? toolTag?.body.trim() ?? tag.name;
  return [
    writeAction(
      "tag",
      verb,
      readBody(
        tag.body,
        inner.filter((child) => child !== toolTag),
        query,
      ),
    ),
  ];
}

function isNamed(tag: Tag): boolean {
  return /^(?:invoke|function|tool|call)$/i.test(tag.name) && tag.attributes !== "";
}

function readBody(body: string, inner: readonly Tag[], query: QueryWords): Slot[] {
  if (inner.length === 0) return body.trim() === "" ? [] : readArguments(body.trim(), query);
  return inner.flatMap((child) => {
    const name = /name\s*=\s*["']?([\w.-]{1,80})/.exec(child.attributes)?.[1];
    const json = /^\s*[[{]/.test(child.body) ? readArguments(child.body, query) : [];
    return json.length > 0 ? json : [slotOf(name ?? child.name, child.body, true, query)];
  });
}

/** Outermost tags that are closed, left to right; a tag that is never closed is text. */
function closedTags(text: string): Tag[] {
  const tags: Tag[] = [];
  const opening = /<([a-z][\w-]{0,60})([^<>]{0,300})>/gi;
  const unclosed = new Set<string>();
  for (
    let match = opening.exec(text);
    match !== null && tags.length < CALL_LIMIT;
    match = opening.exec(text)
  ) {
    const name = match[1] ?? "";
    if (unclosed.has(name)) continue;
    if (unclosed.size > CALL_LIMIT) break;
    const end = text.indexOf(`</${name}>`, opening.lastIndex);
    if (end < 0) {
      unclosed.add(name);
      continue;
    }
    tags.push({ name, attributes: (match[2] ?? "").trim(), body: text.slice(opening.lastIndex, end) });
    opening.lastIndex = end + name.length + 3;
  }
  return tags;
}
