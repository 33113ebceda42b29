/**
 * Turns texts into vectors.
 *
 * An adapter answers with unit vectors, one a text, in the order asked. The same text gives the same vector in one
 * space; vectors of different spaces are never compared, so `space` is stored with every vector and names whatever
 * changes the numbers: the model, its quantisation, its version.
 */
export interface Embedder {
  readonly space: string;
  readonly dimensions: number;
  /**
   * `kind` is for models that want a prefix: a query is what is asked for, a document what is found.
   * Rejects with an EmbedderError (retryable where trying again may help); never answers with fewer vectors.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
  close(): Promise<void>;
}

export interface EmbedOptions {
  readonly kind: "query" | "document";
  readonly signal?: AbortSignal;
}
