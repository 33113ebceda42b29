import { describe, expect, it } from "vitest";
import { lexicalEmbedder } from "../../src/embedders/lexical.ts";
import { embedderContract } from "../contracts/embedder.ts";

describe("the lexical embedder", () => {
  embedderContract(async () => lexicalEmbedder());

  it("puts texts that share words nearer than those that share none, in any script", async () => {
    const [asked, near, far] = await lexicalEmbedder().embed(
      ["отменить мой заказ", "как отменить заказ", "погода завтра"],
      { kind: "document" },
    );
    const cosine = (a?: Float32Array, b?: Float32Array) =>
      a?.reduce((sum, x, i) => sum + x * (b?.[i] ?? 0), 0) ?? 0;
    expect(cosine(asked, near)).toBeGreaterThan(0.5);
    expect(cosine(asked, far)).toBeLessThan(0.2);
  });
});
