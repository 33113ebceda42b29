/** Texts as keys: an entry of an index ends at some 2,700 bytes, and what is learned from a text may be longer. */
import { contentId } from "../../domain/ids.ts";

const LONGEST_KEY = 200;

/**
 * The text itself where it is short; else its beginning and a name for the whole. Texts that are stored alike, because
 * they differ only in what cannot be stored, have the same key.
 */
export function indexable(text: string): string {
  const stored = text.replace(/[\0\p{Surrogate}]/gu, "\uFFFD");
  return stored.length <= LONGEST_KEY ? stored : `${stored.slice(0, LONGEST_KEY)}#${contentId(stored)}`;
}

/** How often each key comes, with one item of each; in the order in which they come first. */
export function countBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): { item: Item; count: number }[] {
  const counts = new Map<string, { item: Item; count: number }>();
  for (const item of items) {
    const known = counts.get(keyOf(item));
    if (known === undefined) counts.set(keyOf(item), { item, count: 1 });
    else known.count += 1;
  }
  return [...counts.values()];
}
