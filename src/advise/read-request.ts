/** What is asked: the request's shape, and the values that were taken out of it. */
import { type Intent, intentOf } from "../domain/intent.ts";
import { askedWords, type ShapedIntent, shapeIntent, varyingWords } from "../domain/shape.ts";
import { topics } from "../domain/topics.ts";
import { countByKey, type Store } from "../ports/store.ts";

export interface Request extends ShapedIntent {
  readonly intent: Intent;
}

export async function readRequest(store: Store, tenantId: string, text: string): Promise<Request> {
  const intent = intentOf(text);
  const words = askedWords(intent);
  const [asked, values] = await Promise.all([
    store.tallies(tenantId, topics.asked, words),
    store.tallies(tenantId, topics.value, words),
  ]);
  return { intent, ...shapeIntent(intent, varyingWords(countByKey(asked), countByKey(values))) };
}
