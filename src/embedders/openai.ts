/**
 * Any server that answers `POST {base}/embeddings` as OpenAI's does: OpenAI itself, vLLM, TEI, llama-server, LM Studio,
 * Ollama under /v1. Plain fetch; a busy or broken server is tried again a few times before the caller hears of it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { EmbedderError } from "../domain/errors.ts";
import type { Embedder, EmbedOptions } from "../ports/embedder.ts";

export interface OpenAiSettings {
  /** Up to but not including `/embeddings`: `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly dimensions: number;
  readonly key?: string;
  /** Put before a text, for models that want to be told which is which (e5, bge, nomic). */
  readonly prefixes?: { readonly query: string; readonly document: string };
  readonly batchSize?: number;
  readonly timeoutMs?: number;
  readonly retries?: number;
  /** The first pause before trying again; it doubles each time. */
  readonly pauseMs?: number;
}

/** Characters of a text that are sent. Models read 512 to 8,192 tokens, and an intent is short. */
const MOST_CHARACTERS = 8_000;
const LONGEST_PAUSE_MS = 10_000;

export function openAiEmbedder(settings: OpenAiSettings): Embedder {
  const { model, dimensions, prefixes = { query: "", document: "" } } = settings;
  const batchSize = settings.batchSize ?? 64;
  return {
    space: `openai/${model}/${dimensions}/${prefixes.document}`,
    dimensions,
    async embed(texts, { kind, signal }) {
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += batchSize) {
        const batch = texts.slice(from, from + batchSize).map((text) => readable(prefixes[kind] + text));
        vectors.push(...(await embedBatch(batch, settings, signal)));
      }
      return vectors;
    },
    close: async () => {},
  };
}

/** Servers refuse an empty input, and half a character; a space is the nearest to nothing that all of them take. */
function readable(text: string): string {
  return text.slice(0, MOST_CHARACTERS).replace(/\p{Surrogate}/gu, "\uFFFD") || " ";
}

async function embedBatch(
  batch: readonly string[],
  settings: OpenAiSettings,
  signal: EmbedOptions["signal"],
): Promise<Float32Array[]> {
  const retries = settings.retries ?? 3;
  for (let attempt = 0; ; attempt += 1) {
    const answer = await ask(batch, settings, signal);
    if (Array.isArray(answer)) return answer;
    if (!answer.error.retryable || attempt >= retries || signal?.aborted) throw answer.error;
    const pause = answer.pauseMs ?? (settings.pauseMs ?? 250) * 2 ** attempt;
    await sleep(Math.min(pause, LONGEST_PAUSE_MS), undefined, signal === undefined ? {} : { signal }).catch(
      (cause: unknown) => {
        throw new EmbedderError("the caller gave up waiting for an embedding", { cause, retryable: true });
      },
    );
  }
}

interface Refusal {
  readonly error: EmbedderError;
  /** As the server asked for in Retry-After; null: not said. */
  readonly pauseMs: number | null;
}

async function ask(
  batch: readonly string[],
  { baseUrl, model, dimensions, key, timeoutMs = 30_000 }: OpenAiSettings,
  signal: EmbedOptions["signal"],
): Promise<Float32Array[] | Refusal> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/embeddings`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, input: batch, encoding_format: "float" }),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      const retryable = response.status === 429 || response.status === 408 || response.status >= 500;
      return refusal(`the embedding server answered ${response.status}`, retryable, pauseOf(response));
    }
    return readVectors(await response.json(), batch.length, dimensions);
  } catch (error) {
    if (error instanceof EmbedderError) return { error, pauseMs: null };
    if (error instanceof SyntaxError) return refusal("the embedding server did not answer in JSON", true);
    // What fetch throws may quote the request, and the request holds the key: its kind is told, not its words.
    const reason = signal?.aborted
      ? "the caller gave up"
      : timeout.aborted
        ? "it took too long"
        : "no connection";
    return refusal(`the embedding server could not be asked: ${reason}`, true);
  }
}

function refusal(message: string, retryable: boolean, pauseMs: number | null = null): Refusal {
  return { error: new EmbedderError(message, { retryable }), pauseMs };
}

function pauseOf(response: Response): number | null {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null;
}

/** Rows may come in any order and name their place in `index`; anything else than one good row a text is refused. */
function readVectors(body: unknown, count: number, dimensions: number): Float32Array[] {
  const rows = isRecord(body) ? body.data : undefined;
  if (!Array.isArray(rows)) throw wrong("no list of embeddings");
  if (rows.length !== count) throw wrong(`${rows.length} embeddings for ${count} texts`);
  const vectors = new Map<number, Float32Array>();
  rows.forEach((row: unknown, at) => {
    if (!isRecord(row) || !Array.isArray(row.embedding))
      throw wrong("an embedding that is no list of numbers");
    if (row.embedding.length !== dimensions) {
      throw wrong(`${row.embedding.length} dimensions instead of ${dimensions}`);
    }
    vectors.set(typeof row.index === "number" ? row.index : at, unit(row.embedding));
  });
  return Array.from({ length: count }, (_, at) => {
    const vector = vectors.get(at);
    if (vector === undefined) throw wrong(`no embedding for text ${at + 1}`);
    return vector;
  });
}

function unit(numbers: readonly unknown[]): Float32Array {
  const vector = Float32Array.from(numbers, (value) => (typeof value === "number" ? value : Number.NaN));
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (!Number.isFinite(length) || length === 0) throw wrong("an embedding that is no list of numbers");
  return vector.map((value) => value / length);
}

/** A server that answers wrongly will do so again: its model is not the one it is configured to be. */
function wrong(what: string): EmbedderError {
  return new EmbedderError(`the embedding server answered wrongly: ${what}`, { retryable: false });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
