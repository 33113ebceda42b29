/** Words as a request uses them: which carry content, and which are one word in two forms. */

/** Words that stand in nearly every English request and so say nothing about where a value comes from. */
const COMMON = new Set(
  "a an the of to in on at by for from with and or not is are be was it its this that i my me you your we our as".split(
    " ",
  ),
);

export function contentWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !COMMON.has(word));
}

/** Just enough to let `mugs` in a request meet `mug` in an action. */
export function stem(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word.length > 3 && word.endsWith("s") && !word.endsWith("ss")) return word.slice(0, -1);
  return word;
}
