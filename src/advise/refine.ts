/** What the caller says about its state, held against what is known: answers that are not at hand here help nobody. */
import type { CountedInsight } from "../ports/store.ts";

const MOST_CHARACTERS = 20_000;

/** Of an insight that is a question, the answers that the context names; all of them where it names none. */
export function createRefine(
  context: Readonly<Record<string, string>>,
): (counted: CountedInsight) => CountedInsight {
  const words = new Set(wordsIn(context));
  return (counted) => {
    const here = counted.values.filter(({ value }) =>
      value.split(" ").every((word) => words.has(word.toLowerCase())),
    );
    return here.length === 0 ? counted : { ...counted, values: here };
  };
}

function wordsIn(context: Readonly<Record<string, string>>): string[] {
  let text = "";
  for (const value of Object.values(context)) {
    text += ` ${value}`;
    if (text.length > MOST_CHARACTERS) break;
  }
  return (
    text
      .slice(0, MOST_CHARACTERS)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
