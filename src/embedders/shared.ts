/** One embedder for several threads: the model is loaded once, and lives in no thread that may be stopped in the middle. */
import type { MessagePort } from "node:worker_threads";
import { EmbedderError } from "../domain/errors.ts";
import type { Embedder, EmbedOptions } from "../ports/embedder.ts";

/** What the other thread is told of it at its start. */
export type EmbedderFacts = Pick<Embedder, "space" | "dimensions">;

interface Asked {
  readonly id: number;
  readonly texts: readonly string[];
  readonly kind: EmbedOptions["kind"];
}

type Answered =
  | { readonly id: number; readonly vectors: Float32Array[] }
  | { readonly id: number; readonly failure: string; readonly retryable: boolean };

/** Answers what is asked through the port, until it is closed. */
export function shareEmbedder(embedder: Embedder, port: MessagePort): void {
  port.on("message", ({ id, texts, kind }: Asked) => {
    embedder.embed(texts, { kind }).then(
      (vectors) => port.postMessage({ id, vectors } satisfies Answered),
      (error: unknown) => {
        const retryable = error instanceof EmbedderError ? error.retryable : true;
        port.postMessage({ id, failure: String(error), retryable } satisfies Answered);
      },
    );
  });
}

/** The embedder at the other end of the port. */
export function sharedEmbedder({ space, dimensions }: EmbedderFacts, port: MessagePort): Embedder {
  const waiting = new Map<
    number,
    { resolve: (vectors: Float32Array[]) => void; reject: (error: Error) => void }
  >();
  let next = 0;
  port.on("message", (answer: Answered) => {
    const caller = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ("vectors" in answer) caller?.resolve(answer.vectors);
    else caller?.reject(new EmbedderError(answer.failure, { retryable: answer.retryable }));
  });
  port.on("close", () => {
    for (const { reject } of waiting.values())
      reject(new EmbedderError("the embedder is gone", { retryable: true }));
    waiting.clear();
  });
  return {
    space,
    dimensions,
    embed: (texts, { kind }) =>
      new Promise((resolve, reject) => {
        const id = next++;
        waiting.set(id, { resolve, reject });
        port.postMessage({ id, texts, kind } satisfies Asked);
      }),
    close: async () => port.close(),
  };
}
