import { MessageChannel } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { EmbedderError } from "../../src/domain/errors.ts";
import { lexicalEmbedder } from "../../src/embedders/lexical.ts";
import { sharedEmbedder, shareEmbedder } from "../../src/embedders/shared.ts";
import { embedderContract } from "../contracts/embedder.ts";

function shared(embedder = lexicalEmbedder()) {
  const { port1, port2 } = new MessageChannel();
  shareEmbedder(embedder, port1);
  onTestFinished(() => port1.close());
  return sharedEmbedder(embedder, port2);
}

describe("an embedder shared between threads", () => {
  embedderContract(async () => shared());

  it("hands on a failure, and whether trying again may help", async () => {
    const failing = {
      ...lexicalEmbedder(),
      embed: async () => {
        throw new EmbedderError("away", { retryable: true });
      },
    };
    const embedder = shared(failing);
    onTestFinished(() => embedder.close());
    await expect(embedder.embed(["x"], { kind: "query" })).rejects.toMatchObject({ retryable: true });
  });

  it("fails what is still waiting when the other side goes away", async () => {
    const { port1, port2 } = new MessageChannel();
    const embedder = sharedEmbedder({ space: "s", dimensions: 2 }, port2);
    const waiting = embedder.embed(["x"], { kind: "query" });
    port1.close();
    await expect(waiting).rejects.toBeInstanceOf(EmbedderError);
  });
});
