import type { Intent } from "./intent.ts";

/** An intent with its vector; null where it has none in the space in use. */
export interface PlacedIntent {
  readonly intent: Intent;
  readonly vector: Float32Array | null;
}

/** How alike two intents are, from 0 to 1; equal ones are exactly 1. */
export function intentSimilarity(a: PlacedIntent, b: PlacedIntent): number {
  if (a.intent.intentId === b.intent.intentId) return 1;
  if (a.vector === null || b.vector === null) return 0;
  return Math.min(1, Math.max(0, cosine(a.vector, b.vector)));
}

/** Of unit vectors. */
function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/** The words of a text for search: lower case, letters and digits of any language. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
