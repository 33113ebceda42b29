/** Which stored and which queued uploads mean what was asked. Decided on full precision: a delete cannot be undone. */
import { cosine } from "../domain/calibration.ts";
import type { Intent } from "../domain/intent.ts";
import { type Prepared, sameIntent } from "../domain/similarity.ts";
import type { ForgetParts, Match } from "./forget.ts";

export interface Asked {
  readonly tenantId: string;
  readonly intent: Intent;
  readonly vector: Float32Array;
  readonly threshold: number;
}

/** Something stored or queued under an intent. */
interface Candidate {
  readonly intent: Intent;
  readonly vector: Float32Array | null;
}

/** So many of the nearest are looked at closely; what lies behind them is never as likely the same as not. */
const CLOSELY = 400;
/** Below this, a threshold reaches for what is hardly alike, and all are looked at. */
const LOW_THRESHOLD = 0.25;
/** Preparing one takes a tenth of a millisecond; the event loop gets its turn after so many. */
const AT_A_TIME = 100;

/** The candidates that reach the threshold, by intent id. NaN reaches nothing; 0 and less reach everything. */
async function reach(
  { compare }: ForgetParts,
  { tenantId, intent, vector, threshold }: Asked,
  candidates: readonly Candidate[],
): Promise<Map<string, number>> {
  if (Number.isNaN(threshold) || candidates.length === 0) return new Map();
  if (threshold <= 0 && candidates.length > CLOSELY) {
    return new Map(
      candidates.map(({ intent: { intentId } }) => [intentId, Number(intentId === intent.intentId)]),
    );
  }
  const { prepare } = await compare.amongIntents(tenantId);
  const nearest = candidates
    .flatMap((one) =>
      one.vector === null ? [] : [{ ...one, vector: one.vector, near: cosine(vector, one.vector) }],
    )
    .sort((a, b) => b.near - a.near || (a.intent.intentId < b.intent.intentId ? -1 : 1))
    .slice(0, threshold < LOW_THRESHOLD ? undefined : CLOSELY);
  const prepared: Prepared[] = [];
  for (const one of nearest) {
    prepared.push(prepare({ text: one.intent.text, vector: one.vector }, one.intent.intentId));
    if (prepared.length % AT_A_TIME === 0) await new Promise(setImmediate);
  }
  const scores = sameIntent(prepare({ text: intent.text, vector }), prepared);
  const similarity = new Map(nearest.map(({ intent: { intentId } }, i) => [intentId, scores[i] ?? 0]));
  similarity.set(intent.intentId, 1);
  const reached = candidates
    .map(({ intent: { intentId } }) => [intentId, similarity.get(intentId) ?? 0] as const)
    .filter(([, score]) => threshold <= 0 || score >= threshold);
  return new Map(reached);
}

export async function matchStored(parts: ForgetParts, asked: Asked): Promise<Match[]> {
  const { store, embedder } = parts;
  const candidates: Candidate[] = [];
  for await (const chunk of store.allIntents(asked.tenantId, embedder.space)) {
    for (const { intentId, text, vector } of chunk) candidates.push({ intent: { intentId, text }, vector });
  }
  const reached = await reach(parts, asked, candidates);
  const texts = new Map(candidates.map(({ intent }) => [intent.intentId, intent.text]));
  const episodes = await store.episodesOf(asked.tenantId, [...reached.keys()]);
  return episodes.map(({ intentId, episodeId }) => ({
    jobId: episodeId,
    intent: texts.get(intentId) ?? "",
    similarity: reached.get(intentId) ?? 0,
  }));
}

export async function matchQueued(parts: ForgetParts, asked: Asked): Promise<Match[]> {
  const { queue, embedder, intentOfUpload } = parts;
  const uploads: (Candidate & { readonly jobId: string })[] = [];
  for await (const chunk of queue.pending(asked.tenantId)) {
    const readable: { jobId: string; intent: Intent }[] = [];
    for (const upload of chunk) {
      const intent = await intentOfUpload(asked.tenantId, upload);
      // opening a large upload takes a while, and others are waiting for this thread
      await new Promise(setImmediate);
      if (intent !== null) readable.push({ jobId: upload.jobId, intent });
    }
    const texts = readable.map(({ intent }) => intent.text);
    const vectors = await embedder.embed(texts, { kind: "document" });
    uploads.push(...readable.map((one, i) => ({ ...one, vector: vectors[i] ?? null })));
  }
  const reached = await reach(parts, asked, uploads);
  return uploads.flatMap(({ jobId, intent }) => {
    const similarity = reached.get(intent.intentId);
    return similarity === undefined ? [] : [{ jobId, intent: intent.text, similarity }];
  });
}
