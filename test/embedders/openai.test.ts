import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openAiEmbedder, type OpenAiSettings } from "../../src/embedders/openai.ts";
import { abortContract, embedderContract } from "../contracts/embedder.ts";

const KEY = "sk-never-shown";
const DIMENSIONS = 8;

interface Asked {
  readonly input: string[];
  readonly model: string;
}
type Fault = (response: ServerResponse, asked: Asked) => void;

/** A server on loopback that answers as OpenAI's does, after whatever faults it has been told to have first. */
describe("the OpenAI-compatible embedder", () => {
  const faults: Fault[] = [];
  const seen: { asked: Asked; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => void answer(request, response));
  let baseUrl = "";

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
    seen.push({ asked, authorization: request.headers.authorization });
    const fault = faults.shift();
    if (fault !== undefined) fault(response, asked);
    else reply(response, { data: rows(asked) });
  }

  const reply = (response: ServerResponse, body: unknown, status = 200, headers = {}) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
  /** Not of unit length, and in no order. */
  const rows = ({ input }: Asked) =>
    input
      .map((text, index) => ({
        index,
        embedding: Array.from({ length: DIMENSIONS }, (_, at) => 3 + ((text.charCodeAt(at) || 1) % 17)),
      }))
      .reverse();
  const embedder = (settings: Partial<OpenAiSettings> = {}) =>
    openAiEmbedder({ baseUrl, model: "m", dimensions: DIMENSIONS, key: KEY, pauseMs: 1, ...settings });
  const embed = (settings: Partial<OpenAiSettings> = {}) =>
    embedder(settings).embed(["one", "two"], { kind: "query" });

  beforeAll(async () => {
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  beforeEach(() => {
    faults.length = 0;
    seen.length = 0;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  embedderContract(async () => embedder());
  abortContract(async () => embedder());

  it("asks in batches, with the key and the prefix of the kind", async () => {
    const prefixes = { query: "query: ", document: "passage: " };
    await embedder({ batchSize: 2, prefixes }).embed(["a", "b", "c"], { kind: "document" });
    expect(seen.map(({ asked }) => asked.input)).toEqual([["passage: a", "passage: b"], ["passage: c"]]);
    expect(seen[0]?.authorization).toBe(`Bearer ${KEY}`);
  });

  it.each([429, 500, 503])("tries again after %i", async (status) => {
    faults.push((response) => reply(response, "busy", status, { "retry-after": "0" }));
    expect(await embed()).toHaveLength(2);
    expect(seen).toHaveLength(2);
  });

  it("gives up after a few times, and says that trying later may help", async () => {
    for (let n = 0; n < 9; n += 1) faults.push((response) => reply(response, "{}", 500));
    await expect(embed({ retries: 2 })).rejects.toMatchObject({ retryable: true, message: /answered 500/ });
    expect(seen).toHaveLength(3);
  });

  it("does not ask again what was refused", async () => {
    faults.push((response) => reply(response, { error: `bad key ${KEY}` }, 401));
    await expect(embed()).rejects.toMatchObject({ retryable: false });
    expect(seen).toHaveLength(1);
  });

  it.each<[string, Fault, boolean]>([
    ["too few embeddings", (response, asked) => reply(response, { data: rows(asked).slice(1) }), false],
    [
      "the same place twice",
      (response, asked) => reply(response, { data: rows(asked).map((row) => ({ ...row, index: 0 })) }),
      false,
    ],
    [
      "wrong dimensions",
      (response, { input }) => reply(response, { data: input.map(() => ({ embedding: [1, 2] })) }),
      false,
    ],
    [
      "nulls",
      (response, { input }) =>
        reply(response, { data: input.map(() => ({ embedding: Array(DIMENSIONS).fill(null) })) }),
      false,
    ],
    [
      "zeros",
      (response, { input }) =>
        reply(response, { data: input.map(() => ({ embedding: Array(DIMENSIONS).fill(0) })) }),
      false,
    ],
    ["no list", (response) => reply(response, { data: "none" }), false],
    ["garbage", (response) => reply(response, "<html>"), true],
    ["a cut connection", (response) => response.destroy(), true],
  ])("refuses %s", async (_, fault, retryable) => {
    faults.push(fault);
    await expect(embed({ retries: 0 })).rejects.toMatchObject({ name: "EmbedderError", retryable });
  });

  it("does not wait for ever", async () => {
    faults.push(() => {});
    await expect(embed({ timeoutMs: 50, retries: 0 })).rejects.toMatchObject({
      retryable: true,
      message: /too long/,
    });
  });

  it("never shows the key in an error", async () => {
    const errors: unknown[] = [];
    faults.push((response) => reply(response, KEY, 401));
    faults.push((response) => response.destroy());
    for (const settings of [
      {},
      { retries: 0 },
      { baseUrl: "http://127.0.0.1:1", retries: 0 },
      { key: `${KEY}\n!`, retries: 0 },
    ]) {
      errors.push(await embed(settings).catch((error: unknown) => error));
    }
    expect(errors).toHaveLength(4);
    for (const error of errors) {
      expect(error).toBeInstanceOf(Error);
      if (!(error instanceof Error)) continue;
      expect(`${error.message} ${error.stack} ${String(error.cause)} ${JSON.stringify(error)}`).not.toContain(
        KEY,
      );
    }
  });
});
