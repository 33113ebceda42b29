/** What every Embedder adapter must do. */
import { expect, it } from "vitest";
import { EmbedderError } from "../../src/domain/errors.ts";
import type { Embedder } from "../../src/ports/embedder.ts";

export function embedderContract(open: () => Promise<Embedder>): void {
  const texts = [
    "book a table for two",
    "my card was declined",
    "",
    "予約をキャンセルしたい",
    "  \n",
    "book a table for two",
  ];

  it("answers with one unit vector a text, in the order asked", async () => {
    const embedder = await open();
    const vectors = await embedder.embed(texts, { kind: "document" });
    expect(vectors).toHaveLength(texts.length);
    for (const vector of vectors) {
      expect(vector).toHaveLength(embedder.dimensions);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
    const [alone] = await embedder.embed(["my card was declined"], { kind: "document" });
    expect(vectors[1]).toEqual(alone);
  });

  it("gives the same text the same vector, whatever it is asked with", async () => {
    const embedder = await open();
    const company = Array.from(
      { length: 40 },
      (_, n) => `another text, of a length of its own ${"!".repeat(n)}${n}`,
    );
    const [first] = await embedder.embed(["where is my parcel"], { kind: "document" });
    const among = await embedder.embed([...company, "where is my parcel"], { kind: "document" });
    const [again] = await (await open()).embed(["where is my parcel"], { kind: "document" });
    expect(among.at(-1)).toEqual(first);
    expect(again).toEqual(first);
  });

  it("answers for no texts with no vectors", async () => {
    expect(await (await open()).embed([], { kind: "query" })).toEqual([]);
  });

  it("serves many callers at once, each with what it asked for", async () => {
    const embedder = await open();
    const asked = Array.from({ length: 30 }, (_, n) => [`request number ${n}`, `and its sequel ${n % 7}`]);
    const together = await Promise.all(asked.map((pair) => embedder.embed(pair, { kind: "document" })));
    for (const [n, pair] of asked.entries()) {
      expect(together[n]).toEqual(await embedder.embed(pair, { kind: "document" }));
    }
  });

  it("hands out vectors that are the caller's own", async () => {
    const embedder = await open();
    const [first] = await embedder.embed(["water the plants"], { kind: "document" });
    const before = first?.slice();
    first?.fill(0);
    expect((await embedder.embed(["water the plants"], { kind: "document" }))[0]).toEqual(before);
  });

  it("takes a very long text in no more than the time of a long one", async () => {
    const embedder = await open();
    await embedder.embed(["warm up"], { kind: "document" });
    const started = performance.now();
    const [vector] = await embedder.embed(["put a clean plate on the table ".repeat(40_000)], {
      kind: "document",
    });
    expect(vector).toHaveLength(embedder.dimensions);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it("takes text that is no proper text: half characters, control characters", async () => {
    const [vector] = await (await open()).embed(["\ud800 half \u0000\u0007"], { kind: "document" });
    expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1, 5);
  });
}

/** For adapters whose answers take time. */
export function abortContract(open: () => Promise<Embedder>): void {
  it("stops waiting when the caller gives up, and serves the next one", async () => {
    const embedder = await open();
    const aborted = AbortSignal.abort();
    await expect(
      embedder.embed(["gone before it began"], { kind: "query", signal: aborted }),
    ).rejects.toThrow(EmbedderError);
    const controller = new AbortController();
    const waiting = embedder.embed(["given up halfway"], { kind: "query", signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ retryable: true });
    expect(await embedder.embed(["still here"], { kind: "query" })).toHaveLength(1);
  });
}
