import { contentWords, stem } from "../../domain/vocabulary.ts";

/** The words of a query, ready to be asked which words of a value come from it. */
export interface QueryWords {
  readonly text: string;
  readonly stems: ReadonlySet<string>;
}

const QUERY_LIMIT = 20_000;

export function readQuery(query: string): QueryWords {
  const text = query.slice(0, QUERY_LIMIT).toLowerCase();
  return { text, stems: new Set(wordsOf(text).map(stem)) };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * The words of `value` that stand in the query, when they are most of the value. One shared word in a long sentence
 * does not make it a value from the query, and a single digit matches by chance.
 */
export function wordsFromQuery(value: string, query: QueryWords): string[] {
  if (value.length < 2 || query.text === "") return [];
  const words = contentWords(value);
  if (words.length === 0 || (words.length === 1 && words[0] !== undefined && words[0].length < 2)) return [];
  const found = words.filter((word) => query.stems.has(stem(word)));
  if (found.length > 0 && found.length >= words.length * 0.6) return found;
  // Scripts without spaces have no word borders to match; there the value as a whole must stand in the query.
  const spaceless = /[^\u0000-\u024f]/u.test(value) && query.text.includes(value.toLowerCase());
  return spaceless ? [value.toLowerCase()] : [];
}
