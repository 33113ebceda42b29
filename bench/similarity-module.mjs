/**
 * The similarity in the shape that an outside scorer takes: `similarity(texts)` answers with a function of two of them.
 *
 *   npm run build && node SCORER --embed bench/similarity-module.mjs
 *
 * All texts are taken to be one tenant's documents. `WHETSTONE_BENCH_SCORE`: `same` (default), whether two are the same
 * intent; `relevance`, the score that ranks; `meaning`, the bare cosine; `words`, the bare overlap of words.
 * `WHETSTONE_BENCH_EMBEDDER`: `local` (default) or `lexical`.
 */
import { UNRELATED_REQUESTS, cosine, measureSpace } from "../dist/domain/calibration.js";
import { measureBackground, prepare, relevance, sameIntent } from "../dist/domain/similarity.js";
import { overlap } from "../dist/domain/words.js";
import { lexicalEmbedder } from "../dist/embedders/lexical.js";
import { localEmbedder } from "../dist/embedders/local.js";

/** As many as a scan of the tenant's vectors hands on. */
const CANDIDATES = 300;

const lexical = process.env.WHETSTONE_BENCH_EMBEDDER === "lexical";
const score = process.env.WHETSTONE_BENCH_SCORE ?? "same";
let opened;

export async function similarity(texts) {
  opened ??= (lexical ? Promise.resolve(lexicalEmbedder()) : localEmbedder({ remembered: 20_000 })).then(
    async (embedder) => {
      const vectors = await embedder.embed(UNRELATED_REQUESTS, { kind: "document" });
      return { embedder, space: measureSpace(vectors) };
    },
  );
  const { embedder, space } = await opened;
  const vectors = await embedder.embed(texts, { kind: "document" });
  const documents = texts.map((text, at) => ({ text, vector: vectors[at] }));
  const background = measureBackground(documents, space);
  const prepared = new Map(documents.map((document) => [document.text, prepare(document, background)]));
  const pairwise = {
    relevance,
    meaning: (a, b) => cosine(a.vector, b.vector),
    words: (a, b) => overlap(a.words, b.words),
  }[score];
  // The thread must not keep a scorer alive that has nothing more to ask; it is asked for everything at once.
  if (pairwise !== undefined) return (a, b) => pairwise(prepared.get(a), prepared.get(b));
  const all = [...prepared.values()];
  const answers = new Map();
  const answer = (text) => {
    const query = prepared.get(text);
    const nearest = all
      .map((candidate) => ({ candidate, near: cosine(query.vector, candidate.vector) }))
      .sort((a, b) => b.near - a.near)
      .slice(0, CANDIDATES)
      .map(({ candidate }) => candidate);
    const found = sameIntent(query, nearest);
    return new Map(nearest.map(({ key }, at) => [key, found[at]]));
  };
  return (a, b) => {
    if (!answers.has(a)) answers.set(a, answer(a));
    return answers.get(a).get(prepared.get(b).key) ?? 0;
  };
}

/** For a scorer that ends when its work is done: closes the thread as soon as nothing else is left to do. */
process.once("beforeExit", async () => (await opened)?.embedder.close());
