/** Which stored and which queued uploads mean what was asked. Decided on full precision: a delete cannot be undone. */
import type { Intent } from "../domain/intent.ts";
import { intentSimilarity, type PlacedIntent } from "../domain/intent-match.ts";
import type { ForgetParts, Match } from "./forget.ts";

export interface Asked {
  readonly tenantId: string;
  readonly placed: PlacedIntent;
  readonly threshold: number;
}

/** The similarity where it reaches the threshold, else null. NaN reaches nothing; 0 and less reach everything. */
function reach({ placed, threshold }: Asked, intent: Intent, vector: Float32Array | null): number | null {
  const similarity = intentSimilarity(placed, { intent, vector });
  return similarity >= threshold || threshold <= 0 ? similarity : null;
}

export async function matchStored({ store, embedder }: ForgetParts, asked: Asked): Promise<Match[]> {
  const found = new Map<string, Omit<Match, "jobId">>();
  for await (const chunk of store.allIntents(asked.tenantId, embedder.space)) {
    for (const { intentId, text, vector } of chunk) {
      const similarity = reach(asked, { intentId, text }, vector);
      if (similarity !== null) found.set(intentId, { intent: text, similarity });
    }
  }
  const episodes = await store.episodesOf(asked.tenantId, [...found.keys()]);
  return episodes.flatMap(({ intentId, episodeId }) => {
    const match = found.get(intentId);
    return match === undefined ? [] : [{ jobId: episodeId, ...match }];
  });
}

export async function matchQueued(
  { queue, embedder, intentOfUpload }: ForgetParts,
  asked: Asked,
): Promise<Match[]> {
  const matches: Match[] = [];
  for await (const uploads of queue.pending(asked.tenantId)) {
    const readable: { jobId: string; intent: Intent }[] = [];
    for (const upload of uploads) {
      const intent = await intentOfUpload(asked.tenantId, upload);
      if (intent !== null) readable.push({ jobId: upload.jobId, intent });
    }
    const texts = readable.map(({ intent }) => intent.text);
    const vectors = await embedder.embed(texts, { kind: "document" });
    readable.forEach(({ jobId, intent }, i) => {
      const similarity = reach(asked, intent, vectors[i] ?? null);
      if (similarity !== null) matches.push({ jobId, intent: intent.text, similarity });
    });
  }
  return matches;
}
