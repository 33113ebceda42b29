/**
 * Feature hashing: words, word pairs and character n-grams, each thrown into one of 512 dimensions. Knows no meaning,
 * but no language, no model and no download either, and the same text always gives the same vector.
 */
import type { Embedder } from "../ports/embedder.ts";

const DIMENSIONS = 512;
const MOST_CHARACTERS = 4_000;

export function hashingEmbedder(): Embedder {
  return {
    space: "hashing-512-v1",
    dimensions: DIMENSIONS,
    embed: async (texts) => texts.map(embedOne),
    close: async () => {},
  };
}

function embedOne(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const [feature, weight] of features(text.slice(0, MOST_CHARACTERS))) {
    const hash = hashOf(feature);
    const position = hash % DIMENSIONS;
    vector[position] = (vector[position] ?? 0) + (hash & 0x8000_0000 ? weight : -weight);
  }
  const length = Math.hypot(...vector);
  // a text without a word still gets a unit vector: its own corner, far from every other text
  if (length === 0) vector[0] = 1;
  else for (let i = 0; i < DIMENSIONS; i++) vector[i] = (vector[i] ?? 0) / length;
  return vector;
}

function features(text: string): Map<string, number> {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const found = new Map<string, number>();
  const see = (feature: string, weight: number) => found.set(feature, (found.get(feature) ?? 0) + weight);
  words.forEach((word, i) => {
    see(`w ${word}`, 1);
    const next = words[i + 1];
    if (next !== undefined) see(`p ${word} ${next}`, 0.5);
    const padded = `_${word}_`;
    for (const size of [3, 4]) {
      for (let at = 0; at + size <= padded.length; at++) see(`c ${padded.slice(at, at + size)}`, 0.25);
    }
  });
  for (const [feature, weight] of found) found.set(feature, Math.sqrt(weight));
  return found;
}

/** FNV-1a, 32 bits, stirred once more so that the low bits are as good as the high ones. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
