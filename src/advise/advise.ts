/** The flow before a task: embed -> retrieve -> rank -> abstain? -> write. */
import { newId } from "../domain/ids.ts";
import type { InsightKind, Support } from "../domain/insight.ts";
import { intentOf } from "../domain/intent.ts";
import { wordsOf } from "../domain/intent-match.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { Store } from "../ports/store.ts";
import { rank } from "./rank.ts";
import { retrieve } from "./retrieve.ts";
import { write } from "./write.ts";

export interface AdviseParts {
  readonly store: Store;
  readonly embedder: Embedder;
  readonly clock: () => number;
}

export interface AdviceRequest {
  readonly tenantId: string;
  readonly text: string;
  readonly context: Readonly<Record<string, string>>;
  readonly agentType: string | null;
}

export interface Recommendation {
  readonly id: string;
  readonly kind: InsightKind;
  readonly text: string;
  readonly score: number;
  readonly support: Support;
  /** Jobs it was learned from. */
  readonly sources: readonly string[];
}

export interface Advice {
  readonly enhancementId: string;
  /** The input, followed by the recommendations if there are any. */
  readonly response: string;
  readonly recommendations: readonly Recommendation[];
  /** Why there are none; null where there are some. */
  readonly abstained: string | null;
  readonly heldOut: boolean;
  /** Milliseconds by step. */
  readonly timings: Readonly<Record<string, number>>;
}

export type Advise = (request: AdviceRequest) => Promise<Advice>;

export function createAdvise({ store, embedder, clock }: AdviseParts): Advise {
  return async ({ tenantId, text }) => {
    const timings = new Stopwatch();
    const intent = intentOf(text);
    const [vector = null] = await embedder.embed([intent.text], { kind: "query" });
    timings.lap("embed");
    const found =
      vector === null
        ? []
        : await retrieve(store, tenantId, {
            placed: { intent, vector },
            space: embedder.space,
            words: wordsOf(intent.text),
          });
    timings.lap("retrieve");
    const chosen = rank(found);
    const recommendations = chosen.map(({ insight, score, support, sources }) => ({
      id: insight.insightId,
      kind: insight.kind,
      text: write.one(insight, support),
      score,
      support,
      sources,
    }));
    timings.lap("rank");
    return {
      enhancementId: newId(clock()),
      response: write.all(text, recommendations),
      recommendations,
      abstained: recommendations.length > 0 ? null : "nothing relevant has been learned yet",
      heldOut: false,
      timings: timings.laps,
    };
  };
}

class Stopwatch {
  readonly laps: Record<string, number> = {};
  #last = performance.now();

  lap(name: string): void {
    const now = performance.now();
    this.laps[`${name}_ms`] = Math.round((now - this.#last) * 1_000) / 1_000;
    this.#last = now;
  }
}
