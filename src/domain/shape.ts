/** Takes the values of one task out of a request, so that what is left names the kind of work. */
import { type Intent, type Shape, shapeFrom } from "./intent.ts";
import { contentWords, stem } from "./vocabulary.ts";

/** Stands for a value. */
const GAP = "…";

/** What is always a value, whoever asks: addresses, quotes, paths, placeholders, and words with a digit in them. */
const VALUES = new RegExp(
  [
    String.raw`\b(?:https?:\/\/|www\.)[^\s"'<>)\]]+`,
    String.raw`[^\s@<>"']{1,64}@[^\s@<>"']{1,255}`,
    String.raw`<[a-z][a-z_]{0,40}\d{0,9}>`,
    String.raw`"[^"\n]{1,200}"|“[^”\n]{1,200}”|${"`"}[^${"`"}\n]{1,200}${"`"}`,
    String.raw`(?<![\p{L}\p{N}])'[^'\n]{1,200}'(?![\p{L}\p{N}])`,
    String.raw`(?<![\p{L}\p{N}])(?:~|\.{1,2})?\/[\w.@/-]{2,}`,
    String.raw`\d{1,2}:\d{2}(?::\d{2})?`,
    String.raw`[\p{L}\p{M}\p{N}_#$€£%'-]+`,
  ].join("|"),
  "giu",
);
const WORD = /^[\p{L}\p{M}_'-]+$/u;

export interface ShapedIntent {
  readonly shape: Shape;
  /** What was taken out, gap by gap, in the order of the request. */
  readonly gaps: readonly string[];
}

/**
 * `varying` are words (stemmed) known to change from task to task. A request of nothing but values keeps its words: no
 * kind of work is named by a gap alone.
 */
export function shapeIntent(intent: Intent, varying: ReadonlySet<string>): ShapedIntent {
  const gaps: string[] = [];
  let end = -1;
  const text = intent.text.replace(VALUES, (found: string, at: number) => {
    const isPlain = WORD.test(found) && !varying.has(stem(found.toLowerCase()));
    if (isPlain) return found;
    // values side by side are one gap: `hair treatment, 60 capsules`
    const joins = end >= 0 && /^[\s,]*$/u.test(intent.text.slice(end, at));
    end = at + found.length;
    if (joins) gaps[gaps.length - 1] = `${gaps.at(-1) ?? ""} ${found}`;
    else gaps.push(found);
    return GAP;
  });
  const joined = text.replace(/…(?:[\s,]*…)+/gu, GAP);
  return contentWords(joined).length === 0
    ? { shape: shapeFrom(intent.text), gaps: [] }
    : { shape: shapeFrom(joined), gaps };
}

/** The words of a request that can vary, stemmed; for asking how often they did. */
export function askedWords(intent: Intent): string[] {
  const words = contentWords(intent.text).filter((word) => !/\d/.test(word));
  return [...new Set(words.map(stem))].slice(0, MOST_WORDS);
}

const MOST_WORDS = 60;
/** A word that was a value in at least this share of the requests it stood in varies. */
const LEAST_SHARE = 0.4;

/** From how often words were asked and how often they were a value of some action. */
export function varyingWords(
  asked: ReadonlyMap<string, number>,
  values: ReadonlyMap<string, number>,
): Set<string> {
  return new Set(
    [...asked]
      .filter(([word, times]) => (values.get(word) ?? 0) >= LEAST_SHARE * times)
      .map(([word]) => word),
  );
}

/**
 * What a request has where a shape has gaps, if it is worded like the shape but for them; null where it is not. So words
 * that nobody has seen before are known to be values by where they stand.
 */
export function gapsBy(shapeText: string, request: string): string[] | null {
  const [first = "", ...parts] = plain(shapeText).split(GAP);
  const text = plain(request);
  if (parts.length === 0 || !text.startsWith(first)) return null;
  const original = request.trim();
  const gaps: string[] = [];
  let position = first.length;
  for (const [i, part] of parts.entries()) {
    const isLast = i === parts.length - 1;
    const next = isLast ? text.length - part.length : text.indexOf(part, position + 1);
    if (next <= position || !text.startsWith(part, next)) return null;
    gaps.push(original.slice(position, next).trim());
    position = next + part.length;
  }
  return gaps.every((gap) => gap !== "" && gap.length <= LONGEST_GAP) ? gaps : null;
}

const LONGEST_GAP = 80;

/** Keeps every character's place, but for what closes the sentence. */
function plain(text: string): string {
  return text
    .trim()
    .replace(/[.!?]+$/u, "")
    .toLowerCase();
}

/** How many gaps a shape has. */
export function countGaps(shapeText: string): number {
  return shapeText.split(GAP).length - 1;
}

/** What an embedder should read: a gap says nothing to it, "something" does. */
export function spoken(shape: Shape): string {
  return shape.text.replaceAll(GAP, "something");
}
