/**
 * How likely two requests are the same intent, from 0 to 1, where 0.5 means "as likely as not".
 *
 * A raw cosine cannot say that: the best threshold of one model lies at .28 in one tenant's vocabulary and at .64 in
 * another's. What a tenant's own documents have to say about it is:
 *
 * 1. Standing. Nearly all pairs of a tenant's documents are unrelated, so a sample of them (the landmarks) shows how
 *    alike a text is to what it has nothing to do with. Similarities are counted in spreads above that, from both
 *    sides; a text that is a bit like everything no longer looks like a match.
 * 2. Agreement. If two texts mean the same, they have the same neighbours. It is what tells an intent from the one
 *    next door, and it needs no scale at all, because it compares orders and not numbers.
 *
 * `relevance` ranks (one candidate at a time, no agreement); `sameIntent` decides. The form was found by fitting on two
 * public sets of intents and testing on the third, each in turn; the numbers were then chosen on all three, with
 * tenants of 45 to 3,000 documents, so that a delete takes at most one wrong document along.
 */
import { cosine, type SpaceDefaults, type Spread } from "./calibration.ts";
import {
  countFeatures,
  type Frequencies,
  measureFrequencies,
  normalise,
  overlap,
  rankOf,
  type SparseVector,
  weigh,
} from "./words.ts";

export interface EmbeddedText {
  readonly text: string;
  readonly vector: Float32Array;
}

/** Everything a tenant's documents say about chance. Plain data; measure it anew when the tenant has doubled or halved. */
export interface Background {
  readonly space: SpaceDefaults;
  readonly frequencies: Frequencies;
  readonly landmarks: readonly Landmark[];
}

export interface Landmark {
  readonly key: string;
  readonly vector: Float32Array;
  readonly words: SparseVector;
}

/** A text ready to be compared under one background. Costs about a tenth of a millisecond; worth keeping with a document. */
export interface Prepared extends Landmark {
  readonly meaning: Spread;
  readonly wording: Spread;
}

/** How many documents a background is made of at most: rarity of words settles with a thousand, chance with fewer. */
export const SAMPLE_SIZE = 1_024;
const LANDMARKS = 256;

/** The space's defaults count as this many documents, so that the first few uploads do not define what chance is. */
const DEFAULT_WEIGHT = 48;
/** A landmark that looks like the same intent is no chance: it is left out by this logistic of spreads (half at 4.9). */
const OWN_KIND = { slope: 1.75, offset: -8.5 };
/** Word overlap of unrelated short texts is often exactly 0; this keeps its spread from being as small. */
const LEAST_WORDING_SPREAD = 0.02;
const LEAST_MEANING_SPREAD = 0.01;

/** For ranking, shared words weigh twice as much as shared meaning: names and templates are how runs are found again. */
const WORDING_IN_RELEVANCE = 2;
/** For sameness they weigh little: "block my card" and "unblock my card" share all but one. */
const WORDING_IN_SAMENESS = 0.2;
/**
 * Log-odds of the same intent by the evidence in spreads. Alone, 6 spreads are as likely as not, which only near copies
 * reach; together, 5 with half of the neighbours in common, and 2.5 with three of four.
 */
const ALONE = { slope: 1.5, offset: -9 };
const TOGETHER = { slope: 0.6, agreement: 6, offset: -6 };

/** Neighbour lists are compared at these lengths, because nobody knows how many documents an intent has. */
const DEPTHS = [4, 8, 16, 32] as const;
/** Neighbours are looked for among this many candidates, the nearest of the query. */
const REFERENCES = 256;
/** With few documents everyone is everyone's neighbour: agreement counts half with this many. */
const HALF_TRUST = 8;

/**
 * Takes the documents, or of many the SAMPLE_SIZE with the lowest `rankOf`, which is a sample that neither order of
 * arrival nor a restart changes. Equal texts count once.
 */
export function measureBackground(documents: readonly EmbeddedText[], space: SpaceDefaults): Background {
  const distinct = new Map(documents.map((document) => [normalise(document.text), document]));
  const sample = [...distinct]
    .map(([key, document]) => ({ key, document, rank: rankOf(key) }))
    .sort((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : 1))
    .slice(0, SAMPLE_SIZE);
  const counts = sample.map(({ document }) => countFeatures(document.text));
  const frequencies = measureFrequencies(counts);
  const landmarks = sample.slice(0, LANDMARKS).map(({ key, document }, at) => ({
    key,
    vector: document.vector,
    words: weigh(counts[at] ?? countFeatures(document.text), frequencies),
  }));
  return { space, frequencies, landmarks };
}

export function prepare({ text, vector }: EmbeddedText, background: Background): Prepared {
  const key = normalise(text);
  const words = weigh(countFeatures(text), background.frequencies);
  const others = background.landmarks.filter((landmark) => landmark.key !== key);
  const meanings = others.map((landmark) => cosine(vector, landmark.vector));
  const wordings = others.map((landmark) => overlap(words, landmark.words));
  // Twice is enough: the first round leaves out what is clearly of its own kind, the second corrects the first.
  let { meaning } = background.space;
  let shares: number[] = [];
  for (let round = 0; round < 2; round += 1) {
    const { mean, deviation } = meaning;
    shares = meanings.map(
      (value) => 1 - logistic((OWN_KIND.slope * (value - mean)) / deviation + OWN_KIND.offset),
    );
    meaning = shrunk(meanings, shares, background.space.meaning, LEAST_MEANING_SPREAD);
  }
  const wording = shrunk(wordings, shares, background.space.wording, 0);
  return { key, vector, words, meaning, wording };
}

/** For ranking: how far two texts are above chance, in spreads. No upper end, below 0 is below chance. */
export function relevance(a: Prepared, b: Prepared): number {
  return spreadsOfMeaning(a, b) + WORDING_IN_RELEVANCE * spreadsOfWording(a, b);
}

/** What two texts show by themselves. Exactly 1 for the same text; strict otherwise, as no neighbours are asked. */
export function similarity(a: Prepared, b: Prepared): number {
  return a.key === b.key ? 1 : logistic(ALONE.slope * evidence(a, b) + ALONE.offset);
}

/**
 * The similarity of each candidate to the query, in the candidates' order. Candidates come nearest first, and all that
 * might match should be among them: the first 256 distinct texts are where everyone's neighbours are looked for.
 */
export function sameIntent(query: Prepared, candidates: readonly Prepared[]): number[] {
  const distinct = new Map<string, Prepared>();
  for (const candidate of candidates) {
    if (candidate.key !== query.key && !distinct.has(candidate.key)) distinct.set(candidate.key, candidate);
  }
  const references = [...distinct.values()].slice(0, REFERENCES);
  const depths = DEPTHS.map((depth) => Math.min(depth, Math.max(1, references.length >> 1)));
  const places = placesOf(query, references);
  const trust = references.length / (references.length + HALF_TRUST);
  const scores = new Map<string, number>([[query.key, 1]]);
  for (const [key, candidate] of distinct) {
    const common = agreement(neighboursOf(candidate, query, references, depths), places, depths);
    const shown = evidence(query, candidate);
    const together = TOGETHER.slope * shown + TOGETHER.agreement * trust * common + TOGETHER.offset;
    scores.set(key, logistic(Math.max(together, ALONE.slope * shown + ALONE.offset)));
  }
  return candidates.map(({ key }) => scores.get(key) ?? 0);
}

function evidence(a: Prepared, b: Prepared): number {
  return spreadsOfMeaning(a, b) + WORDING_IN_SAMENESS * spreadsOfWording(a, b);
}

function spreadsOfMeaning(a: Prepared, b: Prepared): number {
  const alike = cosine(a.vector, b.vector);
  return (
    ((alike - a.meaning.mean) / a.meaning.deviation + (alike - b.meaning.mean) / b.meaning.deviation) / 2
  );
}

function spreadsOfWording(a: Prepared, b: Prepared): number {
  const alike = overlap(a.words, b.words);
  return (
    ((alike - a.wording.mean) / (a.wording.deviation + LEAST_WORDING_SPREAD) +
      (alike - b.wording.mean) / (b.wording.deviation + LEAST_WORDING_SPREAD)) /
    2
  );
}

/** Place of every reference in the query's order of nearness; the query itself, at index `references.length`, is first. */
function placesOf(query: Prepared, references: readonly Prepared[]): Uint16Array {
  const near = references.map((reference) => spreadsOfMeaning(query, reference));
  const order = near.map((_, at) => at).sort((a, b) => (near[b] ?? 0) - (near[a] ?? 0));
  const places = new Uint16Array(references.length + 1);
  order.forEach((reference, place) => {
    places[reference] = place + 1;
  });
  return places;
}

/** The candidate's nearest among the references and the query, as indices; itself first. */
function neighboursOf(
  candidate: Prepared,
  query: Prepared,
  references: readonly Prepared[],
  depths: readonly number[],
): number[] {
  const near = new Float64Array(references.length + 1);
  references.forEach((reference, at) => {
    near[at] = reference === candidate ? Number.POSITIVE_INFINITY : spreadsOfMeaning(candidate, reference);
  });
  near[references.length] = spreadsOfMeaning(candidate, query);
  return nearest(near, Math.max(...depths) + 1);
}

/** Indices of the largest values, largest first: an insertion into a short list, cheaper than sorting all of them. */
function nearest(values: Float64Array, wanted: number): number[] {
  const found: number[] = [];
  values.forEach((value, at) => {
    if (found.length === wanted && value <= (values[found.at(-1) ?? 0] ?? 0)) return;
    let place = found.length;
    while (place > 0 && (values[found[place - 1] ?? 0] ?? 0) < value) place -= 1;
    found.splice(place, 0, at);
    if (found.length > wanted) found.pop();
  });
  return found;
}

/** Share of common neighbours, less what chance would give, averaged over the lengths. */
function agreement(neighbours: readonly number[], places: Uint16Array, depths: readonly number[]): number {
  let sum = 0;
  for (const depth of depths) {
    let common = 0;
    for (let at = 0; at <= depth && at < neighbours.length; at += 1) {
      if ((places[neighbours[at] ?? 0] ?? 0) <= depth) common += 1;
    }
    const share = common / (depth + 1);
    const chance = Math.min(0.9, (depth + 1) / places.length);
    sum += Math.max(0, (share - chance) / (1 - chance));
  }
  return sum / depths.length;
}

/**
 * Weighted mean and variance, each drawn towards the space's default while there is little to measure. The two are not
 * pooled: that a tenant's documents lie elsewhere than the space's default is no reason to think that they lie wide.
 */
function shrunk(values: readonly number[], weights: readonly number[], prior: Spread, least: number): Spread {
  let total = 0;
  let sum = 0;
  values.forEach((value, at) => {
    total += weights[at] ?? 0;
    sum += (weights[at] ?? 0) * value;
  });
  const own = total === 0 ? prior.mean : sum / total;
  let squares = DEFAULT_WEIGHT * prior.deviation ** 2;
  values.forEach((value, at) => {
    squares += (weights[at] ?? 0) * (value - own) ** 2;
  });
  const mean = (sum + DEFAULT_WEIGHT * prior.mean) / (total + DEFAULT_WEIGHT);
  return { mean, deviation: Math.max(least, Math.sqrt(squares / (total + DEFAULT_WEIGHT))) };
}

function logistic(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}
