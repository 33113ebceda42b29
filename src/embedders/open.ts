/** The embedder that the settings name. */
import { SetupError } from "../domain/errors.ts";
import type { Embedder } from "../ports/embedder.ts";
import { lexicalEmbedder } from "./lexical.ts";
import { localEmbedder, RuntimeUnavailable } from "./local.ts";
import { openAiEmbedder } from "./openai.ts";

export interface EmbedderSettings {
  readonly embedder: string;
  readonly embedderUrl: string | null;
  readonly embedderModel: string | null;
  readonly embedderDimensions: number;
  readonly embedderKey: string | null;
}

/** Where the model cannot run on this machine, words alone must do; `warn` is told, once. */
export async function openEmbedder(
  settings: EmbedderSettings,
  warn: (sentence: string) => void,
): Promise<Embedder> {
  switch (settings.embedder) {
    case "lexical":
      return lexicalEmbedder();
    case "openai":
      return openAi(settings);
    default:
      try {
        return await localEmbedder();
      } catch (error) {
        if (!(error instanceof RuntimeUnavailable)) throw error;
        warn(`${error.message}; requests are compared by their words alone, which finds fewer paraphrases`);
        return lexicalEmbedder();
      }
  }
}

function openAi({ embedderUrl, embedderModel, embedderDimensions, embedderKey }: EmbedderSettings): Embedder {
  if (embedderUrl === null || embedderModel === null) {
    throw new SetupError(
      "WHETSTONE_EMBEDDER=openai needs WHETSTONE_EMBEDDER_URL and WHETSTONE_EMBEDDER_MODEL",
    );
  }
  return openAiEmbedder({
    baseUrl: embedderUrl,
    model: embedderModel,
    dimensions: embedderDimensions,
    ...(embedderKey !== null && { key: embedderKey }),
  });
}
