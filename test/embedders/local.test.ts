import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EmbedderError, SetupError } from "../../src/domain/errors.ts";
import { localEmbedder } from "../../src/embedders/local.ts";
import type { Embedder } from "../../src/ports/embedder.ts";
import { abortContract, embedderContract } from "../contracts/embedder.ts";

const MODEL = fileURLToPath(new URL("../../models/all-MiniLM-L6-v2-int8", import.meta.url));

const cosine = (a?: Float32Array, b?: Float32Array) =>
  a?.reduce((sum, x, i) => sum + x * (b?.[i] ?? 0), 0) ?? 0;

describe("the local embedder", () => {
  let shared: Embedder;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "whetstone-model-"));
    shared = await localEmbedder();
  });
  afterAll(async () => {
    await shared.close();
    rmSync(folder, { recursive: true });
  });

  embedderContract(async () => shared);
  abortContract(async () => shared);

  it("puts a paraphrase nearer than a text with the same words and another meaning", async () => {
    const [asked, paraphrase, other] = await shared.embed(
      ["how do I get my money back", "I would like a refund", "how do I get back to my hotel"],
      { kind: "query" },
    );
    expect(cosine(asked, paraphrase)).toBeGreaterThan(cosine(asked, other));
  });

  it("leaves the event loop free while it works", async () => {
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 2);
    const long = "the agent opened the fridge and found nothing in it ".repeat(20);
    await shared.embed(
      Array.from({ length: 30 }, (_, n) => `${n} ${long}`),
      { kind: "document" },
    );
    clearInterval(timer);
    expect(longest).toBeLessThan(100);
  });

  it("answers a query before the documents that were there first", async () => {
    const order: string[] = [];
    const long = "a step of the plan that takes many words to say ".repeat(20);
    const documents = shared
      .embed(
        Array.from({ length: 60 }, (_, n) => `${n} plan ${long}`),
        { kind: "document" },
      )
      .then(() => order.push("documents"));
    const query = shared.embed(["a short question"], { kind: "query" }).then(() => order.push("query"));
    await Promise.all([documents, query]);
    expect(order).toEqual(["query", "documents"]);
  });

  it("tells those who wait when it is closed, and does not start again", async () => {
    const embedder = await localEmbedder();
    const waiting = embedder.embed(["never answered"], { kind: "query" });
    const told = waiting.catch((error: unknown) => error);
    await embedder.close();
    expect(await told).toBeInstanceOf(EmbedderError);
    await expect(embedder.embed(["too late"], { kind: "query" })).rejects.toThrow("closed");
  });

  it("says what to do about a model that is missing, altered or broken", async () => {
    await expect(localEmbedder({ modelDirectory: join(folder, "none") })).rejects.toThrow(
      /cannot be read.*Restore/,
    );
    writeFileSync(join(folder, "model_quantized.onnx"), "not a model");
    const altered = localEmbedder({ modelDirectory: folder });
    await expect(altered).rejects.toThrow(SetupError);
    await expect(altered).rejects.toThrow(/not the one this version was made for/);
    const halved = join(folder, "halved");
    mkdirSync(halved);
    copyFileSync(join(MODEL, "model_quantized.onnx"), join(halved, "model_quantized.onnx"));
    await expect(localEmbedder({ modelDirectory: halved })).rejects.toThrow(/cannot be used.*tokenizer/);
  });
});
