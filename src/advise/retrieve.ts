/** Insights whose evidence comes from runs with intents like the one asked for. */
import { intentSimilarity, type PlacedIntent } from "../domain/intent-match.ts";
import type { AppliedInsight, Store } from "../ports/store.ts";

export interface Asked {
  readonly placed: PlacedIntent;
  readonly space: string;
  readonly words: readonly string[];
}

export interface Retrieved extends AppliedInsight {
  /** Of the intent it was seen in to the one asked for. */
  readonly similarity: number;
}

/** Intents looked at: enough for the right one to be among them, few enough to stay fast. */
const MOST_INTENTS = 20;
/** Below this, another task is meant. */
const LEAST_SIMILARITY = 0.35;

export async function retrieve(
  store: Store,
  tenantId: string,
  { placed, space, words }: Asked,
): Promise<Retrieved[]> {
  if (placed.vector === null) return [];
  const hits = await store.searchIntents(tenantId, {
    vector: { space, values: placed.vector },
    words,
    limit: MOST_INTENTS,
  });
  const similar = new Map<string, number>();
  for (const { intentId, text, cosine } of hits) {
    const equal = intentSimilarity(placed, { intent: { intentId, text }, vector: null });
    const similarity = Math.max(equal, cosine);
    if (similarity >= LEAST_SIMILARITY) similar.set(intentId, similarity);
  }
  if (similar.size === 0) return [];
  const applied = await store.insightsFor(tenantId, [...similar.keys()]);
  return applied.map((insight) => ({ ...insight, similarity: similar.get(insight.intentId) ?? 0 }));
}
