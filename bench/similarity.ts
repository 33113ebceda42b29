/**
 * What each part of the similarity is worth: words alone, meaning alone, both (what ranks), and the calibrated score.
 *
 *   npx tsx bench/similarity.ts --data DIR [--embedder local|lexical] [--split dev|heldout|all]
 *
 * DIR holds (itself or under data/) intent/{pairs,delete_corpus,delete_probes}_NAME.jsonl and, where they are,
 * retrieval/webarena_intents.jsonl. Two tables:
 *   same intent at 0.5: pairs (F1 at 0.5 and at the best threshold) and a delete of each probe from the corpus; every
 *   document it takes that it should not is a wrong one. "absent" deletes an intent of which nothing is stored, so
 *   whatever it takes is wrong. The raw scores have no 0.5 of their own and are shown at the best F0.5 that any fixed
 *   threshold reaches, which nobody can know beforehand.
 *   relevance: the nearest other request is of the same template.
 * Then what it costs.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cosine, measureSpace, UNRELATED_REQUESTS } from "../src/domain/calibration.ts";
import {
  measureBackground,
  prepare,
  type Prepared,
  relevance,
  sameIntent,
} from "../src/domain/similarity.ts";
import { quantise, VectorIndex } from "../src/domain/vector-index.ts";
import { overlap } from "../src/domain/words.ts";
import { lexicalEmbedder } from "../src/embedders/lexical.ts";
import { localEmbedder } from "../src/embedders/local.ts";
import type { Embedder } from "../src/ports/embedder.ts";

type Score = (query: Prepared, documents: readonly Prepared[]) => readonly number[];
type Scored = readonly [score: number, same: boolean];
interface Pair {
  readonly split: string;
  readonly label: number;
  readonly a: string;
  readonly b: string;
}
interface Stored {
  readonly split: string;
  readonly intent: string;
  readonly text: string;
}
interface Probe {
  readonly split: string;
  readonly intent: string;
  readonly probe_label: string;
  readonly probe_utterance: string;
}

const CANDIDATES = 300;
const each =
  (score: (a: Prepared, b: Prepared) => number): Score =>
  (query, documents) =>
    documents.map((document) => score(query, document));
const PARTS: readonly [name: string, score: Score][] = [
  ["words", each((a, b) => overlap(a.words, b.words))],
  ["meaning", each((a, b) => cosine(a.vector, b.vector))],
  ["both", each(relevance)],
  ["calibrated", calibrated],
];

const data = argument("data") ?? process.env["WHETSTONE_EVAL_DATA"];
if (data === undefined) {
  console.error(
    "usage: tsx bench/similarity.ts --data DIR [--embedder local|lexical] [--split dev|heldout|all]",
  );
  process.exitCode = 2;
} else {
  const embedder = argument("embedder") === "lexical" ? lexicalEmbedder() : await localEmbedder();
  try {
    await run(
      existsSync(join(data, "data")) ? join(data, "data") : data,
      embedder,
      argument("split") ?? "all",
    );
  } finally {
    await embedder.close();
  }
}

function argument(name: string): string | undefined {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
}

async function run(folder: string, embedder: Embedder, split: string): Promise<void> {
  const space = measureSpace(await embedder.embed(UNRELATED_REQUESTS, { kind: "document" }));
  console.log(
    `space ${embedder.space}: unrelated requests at ${show(space.meaning.mean)} ± ${show(space.meaning.deviation)}`,
  );
  const chosen = <T extends { split: string }>(rows: readonly T[]) =>
    rows.filter((row) => split === "all" || row.split === split);
  const prepareAll = async (texts: readonly string[], background?: readonly string[]) => {
    const distinct = [...new Set(texts)];
    const vectors = await embedder.embed(distinct, { kind: "document" });
    const documents = distinct.map((text, at) => ({
      text,
      vector: vectors[at] ?? new Float32Array(embedder.dimensions),
    }));
    const known = new Set(background ?? distinct);
    const measured = measureBackground(
      documents.filter(({ text }) => known.has(text)),
      space,
    );
    return new Map(documents.map((document) => [document.text, prepare(document, measured)]));
  };
  console.log(
    "\nsame intent     score       pairs F1@.5  best | utterance F.5 recall wrong | label F.5 recall wrong | absent wrong",
  );
  const names = readdirSync(join(folder, "intent")).flatMap(
    (file) => /^pairs_(.+)\.jsonl$/.exec(file)?.[1] ?? [],
  );
  for (const name of names) {
    const pairs = chosen(read<Pair>(folder, `intent/pairs_${name}.jsonl`));
    const corpus = chosen(read<Stored>(folder, `intent/delete_corpus_${name}.jsonl`));
    const probes = chosen(read<Probe>(folder, `intent/delete_probes_${name}.jsonl`));
    const stored = corpus.map(({ text }) => text);
    const everyone = await prepareAll([...stored, ...pairs.flatMap(({ a, b }) => [a, b])]);
    const asked = probes.flatMap(({ probe_label, probe_utterance }) => [probe_label, probe_utterance]);
    const tenant = await prepareAll([...stored, ...asked], stored);
    for (const [part, score] of PARTS) {
      const settled = part === "calibrated";
      const paired = scorePairs(pairs, everyone, score);
      const columns = (["probe_utterance", "probe_label"] as const).map((kind) => {
        const all = probes.flatMap((probe) => deletion(probe[kind], probe.intent, corpus, tenant, score));
        const { threshold, recall, wrong, value } = settled ? at(all, 0.5, 0.5) : best(all, 0.5);
        return {
          threshold,
          text: `${percent(value)} ${percent(recall)} ${(wrong / probes.length).toFixed(1).padStart(5)}`,
        };
      });
      const absent = probes.flatMap((probe) => {
        const others = corpus.filter(({ intent }) => intent !== probe.intent);
        return deletion(probe.probe_utterance, probe.intent, others, tenant, score);
      });
      const threshold = settled ? 0.5 : (columns[0]?.threshold ?? 0.5);
      const lost = absent.filter(([value]) => value >= threshold).length / probes.length;
      console.log(
        `${name.padEnd(15)} ${part.padEnd(11)} ${settled ? percent(at(paired, 0.5, 1).value) : "    -"}       ${percent(best(paired, 1).value)} |` +
          `     ${columns.map(({ text }) => text).join("  |     ")}  |  ${lost.toFixed(1)}`,
      );
    }
  }
  await ranking(folder, chosen, prepareAll);
  await costs(embedder, prepareAll);
}

/** As the service does: the nearest by their vectors, then all of them together; the rest does not match. */
function calibrated(query: Prepared, documents: readonly Prepared[]): number[] {
  const near = documents.map((document) => cosine(query.vector, document.vector));
  const order = near.map((_, at) => at).sort((a, b) => (near[b] ?? 0) - (near[a] ?? 0));
  const candidates = order.slice(0, CANDIDATES).flatMap((at) => documents[at] ?? []);
  const scores = documents.map(() => 0);
  sameIntent(query, candidates).forEach((score, at) => {
    scores[order[at] ?? 0] = score;
  });
  return scores;
}

function scorePairs(pairs: readonly Pair[], texts: ReadonlyMap<string, Prepared>, score: Score): Scored[] {
  const all = [...texts.values()];
  const places = new Map(all.map(({ key }, at) => [key, at]));
  const known = new Map<string, readonly number[]>();
  return pairs.map(({ a, b, label }) => {
    const [first, second] = [texts.get(a), texts.get(b)];
    if (first === undefined || second === undefined) return [0, label === 1];
    const row = known.get(a) ?? score(first, all);
    known.set(a, row);
    return [row[places.get(second.key) ?? 0] ?? 0, label === 1];
  });
}

function deletion(
  text: string,
  intent: string,
  corpus: readonly Stored[],
  tenant: ReadonlyMap<string, Prepared>,
  score: Score,
): Scored[] {
  const query = tenant.get(text);
  const rows = corpus.flatMap((row) => {
    const document = tenant.get(row.text);
    return document === undefined ? [] : [{ document, same: row.intent === intent }];
  });
  if (query === undefined) return [];
  const scores = score(
    query,
    rows.map(({ document }) => document),
  );
  return rows.map(({ same }, at) => [scores[at] ?? 0, same]);
}

interface Outcome {
  readonly threshold: number;
  readonly value: number;
  readonly recall: number;
  readonly wrong: number;
}

/** F-beta: below 1, a wrong document counts more than a missed one. */
function outcome(right: number, wrong: number, total: number, beta: number, threshold: number): Outcome {
  const weight = beta * beta;
  const value =
    right === 0 ? 0 : ((1 + weight) * right) / ((1 + weight) * right + weight * (total - right) + wrong);
  return { threshold, value, recall: total === 0 ? 0 : right / total, wrong };
}

function at(scored: readonly Scored[], threshold: number, beta: number): Outcome {
  const taken = scored.filter(([score]) => score >= threshold);
  const right = taken.filter(([, same]) => same).length;
  return outcome(right, taken.length - right, scored.filter(([, same]) => same).length, beta, threshold);
}

function best(scored: readonly Scored[], beta: number): Outcome {
  const order = scored.toSorted((a, b) => b[0] - a[0]);
  const total = order.filter(([, same]) => same).length;
  let right = 0;
  let found = outcome(0, 0, total, beta, 1);
  order.forEach(([score, same], taken) => {
    if (same) right += 1;
    if (order[taken + 1]?.[0] === score) return;
    const here = outcome(right, taken + 1 - right, total, beta, score);
    if (here.value > found.value) found = here;
  });
  return found;
}

type PrepareAll = (
  texts: readonly string[],
  background?: readonly string[],
) => Promise<Map<string, Prepared>>;
type Chosen = <T extends { split: string }>(rows: readonly T[]) => readonly T[];

async function ranking(folder: string, chosen: Chosen, prepareAll: PrepareAll): Promise<void> {
  const file = "retrieval/webarena_intents.jsonl";
  if (!existsSync(join(folder, file))) return;
  const rows = read<{ split: string; intent: string; template_id: number }>(folder, file);
  const queries = chosen(rows).filter(({ split }) => split !== "corpus_only");
  const texts = await prepareAll(rows.map(({ intent }) => intent));
  console.log("\nrelevance       score       nearest is of the same template");
  for (const [part, score] of PARTS) {
    let right = 0;
    for (const query of queries) {
      const asked = texts.get(query.intent);
      const others = rows.filter((row) => row !== query);
      const documents = others.flatMap(({ intent }) => texts.get(intent) ?? []);
      if (asked === undefined) continue;
      const scores = score(asked, documents);
      const top = scores.reduce((top, value, at) => (value > (scores[top] ?? 0) ? at : top), 0);
      if (others[top]?.template_id === query.template_id) right += 1;
    }
    console.log(`webarena        ${part.padEnd(11)} ${percent(right / queries.length)}`);
  }
}

async function costs(embedder: Embedder, prepareAll: PrepareAll): Promise<void> {
  const texts = Array.from(
    { length: 600 },
    (_, n) => `${UNRELATED_REQUESTS[n % UNRELATED_REQUESTS.length]} number ${n}`,
  );
  const started = performance.now();
  for (const text of texts.slice(0, 100)) await embedder.embed([text], { kind: "query" });
  const single = (performance.now() - started) / 100;
  const batched = performance.now();
  await embedder.embed(texts.slice(100), { kind: "document" });
  const throughput = 500 / ((performance.now() - batched) / 1_000);
  const all = [...(await prepareAll(texts)).values()];
  const [query, ...candidates] = all.slice(0, CANDIDATES + 1);
  if (query === undefined) return;
  console.log(
    `\nembedding: ${show(single)} ms a short text, ${throughput.toFixed(0)} texts/s, ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB resident`,
  );
  console.log(
    `300 candidates: relevance ${show(median(() => candidates.map((one) => relevance(query, one))))} ms, same intent ${show(median(() => sameIntent(query, candidates)))} ms`,
  );
  for (const size of [1_000, 10_000, 100_000]) {
    const line = (["fastest", "plain"] as const).map((kernel) => {
      const index = new VectorIndex(embedder.dimensions, kernel);
      for (let n = 0; n < size; n += 1)
        index.add(`${n}`, quantise(all[n % all.length]?.vector ?? query.vector));
      return `${kernel} ${show(median(() => index.nearest(query.vector, CANDIDATES)))} ms (${(index.bytes / 1e6).toFixed(1)} MB)`;
    });
    console.log(`scan of ${size} vectors for ${CANDIDATES}: ${line.join(", ")}`);
  }
}

function median(work: () => unknown): number {
  const times = Array.from({ length: 15 }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  });
  return times.sort((a, b) => a - b)[7] ?? 0;
}

function read<T>(folder: string, file: string): T[] {
  return readFileSync(join(folder, file), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}

function percent(share: number): string {
  return (100 * share).toFixed(1).padStart(5);
}

function show(value: number): string {
  return value.toFixed(3);
}
