/**
 * Feature hashing: words, word pairs and character 3- and 4-grams, each thrown into one of 512 dimensions with a sign.
 * Knows no meaning; but it needs no model, no package and no language, and costs a hundredth of a millisecond. It is
 * what the service falls back to where the model cannot run.
 */
import { wordsOf } from "../domain/words.ts";
import type { Embedder } from "../ports/embedder.ts";

const DIMENSIONS = 512;
const MOST_CHARACTERS = 4_096;
/** A pair says more than its words and is rarer; a word has many grams, so each of them counts for little. */
const WEIGHTS = { word: 1, pair: 0.7, gram: 0.35 };

export function lexicalEmbedder(): Embedder {
  return {
    space: "lexical-512/1",
    dimensions: DIMENSIONS,
    embed: async (texts) => texts.map(embedOne),
    close: async () => {},
  };
}

function embedOne(text: string): Float32Array {
  const counts = countFeatures(wordsOf(text.slice(0, MOST_CHARACTERS)));
  const vector = new Float32Array(DIMENSIONS);
  for (const [feature, weight] of counts) {
    const hash = hashOf(feature);
    const at = hash % DIMENSIONS;
    // Half of the features count negative, so that those which fall together cancel out instead of adding up.
    vector[at] = (vector[at] ?? 0) + (hash & 0x8000_0000 ? weight : -weight);
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  // A text without a single word still needs a unit vector; all of them share one.
  if (length === 0) vector[0] = 1;
  else vector.forEach((value, at) => (vector[at] = value / length));
  return vector;
}

/** Features with their weights, repeated ones damped: a word said four times weighs twice. */
function countFeatures(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (feature: string, weight: number) =>
    counts.set(feature, (counts.get(feature) ?? 0) + weight * weight);
  words.forEach((word, at) => {
    add(`w ${word}`, WEIGHTS.word);
    const next = words[at + 1];
    if (next !== undefined) add(`p ${word} ${next}`, WEIGHTS.pair);
    const bordered = ` ${word} `;
    for (const size of [3, 4]) {
      for (let from = 0; from + size <= bordered.length; from += 1) {
        add(`g ${bordered.slice(from, from + size)}`, WEIGHTS.gram);
      }
    }
  });
  for (const [feature, weight] of counts) counts.set(feature, Math.sqrt(weight));
  return counts;
}

/** FNV-1a, stirred once more: the sign is taken from the high end and the place from the low one. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
