/**
 * The words of a text as a sparse vector: what two texts share when their wording, and not only their meaning, agrees.
 *
 * Two families of features, each of unit length and of equal say: whole words, which find the same template again, and
 * character 3- to 5-grams over word borders, which forgive inflection, typing errors and scripts without spaces. A
 * feature weighs by how often the text has it (damped) and by how rare it is among the tenant's own documents.
 */
export interface SparseVector {
  /** Hashes of the features, ascending, so that two vectors are multiplied by one merge. */
  readonly features: Uint32Array;
  readonly weights: Float32Array;
}

/** How many of `documents` sampled documents have a feature. A feature in none of them is simply absent. */
export interface Frequencies {
  readonly documents: number;
  readonly counts: ReadonlyMap<number, number>;
}

/** Words are counted in this much text. An intent is a sentence or two; a pasted log must not cost more than one. */
const LONGEST_TEXT = 2_000;
const SHORTEST_GRAM = 3;
const LONGEST_GRAM = 5;
const WORD_SALT = 0x811c9dc5;
const GRAM_SALT = 0x9e3779b9;

/** The form in which two texts count as the same text: case, spacing, punctuation and Unicode variants do not matter. */
export function normalise(text: string): string {
  const words = wordsOf(text);
  return words.length === 0 ? text.trim() : words.join(" ");
}

export function wordsOf(text: string): string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

/** Counts the features of one text, the words and the grams apart, because each family is brought to unit length alone. */
export interface FeatureCounts {
  readonly words: ReadonlyMap<number, number>;
  readonly grams: ReadonlyMap<number, number>;
}

export function countFeatures(text: string): FeatureCounts {
  const words = new Map<number, number>();
  const grams = new Map<number, number>();
  const found = wordsOf(text.slice(0, LONGEST_TEXT));
  for (const word of found) increment(words, hash(word, 0, word.length, WORD_SALT));
  const line = ` ${found.join(" ")} `;
  for (let size = SHORTEST_GRAM; size <= LONGEST_GRAM; size += 1) {
    for (let start = 0; start + size <= line.length; start += 1) {
      increment(grams, hash(line, start, start + size, GRAM_SALT));
    }
  }
  return { words, grams };
}

export function measureFrequencies(documents: readonly FeatureCounts[]): Frequencies {
  const counts = new Map<number, number>();
  for (const { words, grams } of documents) {
    for (const feature of words.keys()) increment(counts, feature);
    for (const feature of grams.keys()) increment(counts, feature);
  }
  return { documents: documents.length, counts };
}

export function weigh({ words, grams }: FeatureCounts, frequencies: Frequencies): SparseVector {
  const weighed = [...weighFamily(words, frequencies), ...weighFamily(grams, frequencies)];
  weighed.sort((a, b) => a[0] - b[0]);
  const features = new Uint32Array(weighed.length);
  const weights = new Float32Array(weighed.length);
  weighed.forEach(([feature, weight], at) => {
    features[at] = feature;
    weights[at] = weight;
  });
  return { features, weights };
}

/** Between 0, nothing in common, and 1, the same words. */
export function overlap(a: SparseVector, b: SparseVector): number {
  let sum = 0;
  let at = 0;
  let bt = 0;
  while (at < a.features.length && bt < b.features.length) {
    const left = a.features[at] ?? 0;
    const right = b.features[bt] ?? 0;
    if (left === right) {
      sum += (a.weights[at] ?? 0) * (b.weights[bt] ?? 0);
      at += 1;
      bt += 1;
    } else if (left < right) at += 1;
    else bt += 1;
  }
  return sum;
}

/** One family, scaled so that its squares add up to a half: the two families together have unit length. */
function weighFamily(counts: ReadonlyMap<number, number>, { documents, counts: seen }: Frequencies) {
  let squares = 0;
  const weighed: [number, number][] = [];
  for (const [feature, count] of counts) {
    const rarity = Math.log(1 + (documents + 1) / ((seen.get(feature) ?? 0) + 0.5));
    const weight = (1 + Math.log(count)) * rarity;
    squares += weight * weight;
    weighed.push([feature, weight]);
  }
  const scale = squares === 0 ? 0 : Math.sqrt(0.5 / squares);
  for (const entry of weighed) entry[1] *= scale;
  return weighed;
}

function increment(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** FNV-1a over UTF-16 units: no dependency, the same on every machine. */
function hash(text: string, from: number, to: number, salt: number): number {
  let value = salt;
  for (let at = from; at < to; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

/** A number that a text always has and that has nothing to do with what it says: for samples that can be drawn again. */
export function rankOf(text: string): number {
  let value = hash(text, 0, text.length, WORD_SALT);
  value = Math.imul(value ^ (value >>> 15), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}
