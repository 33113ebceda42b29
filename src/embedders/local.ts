/**
 * The default embedder: all-MiniLM-L6-v2 (int8, ONNX) on this machine's processor, in a thread of its own.
 *
 * What arrives while the thread is busy goes to it together as soon as it is free: queries before documents, short
 * texts before long ones. Texts asked for recently are answered from memory, and a text asked for twice at once is
 * embedded once.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { EmbedderError, SetupError, WhetstoneError } from "../domain/errors.ts";
import type { Embedder, EmbedOptions } from "../ports/embedder.ts";
import type { EmbedBatch, Stop, ThreadAnswer, ThreadSettings } from "./local-thread.ts";

export interface LocalSettings {
  /** Processor threads that one inference may use. More than one helps long texts only. */
  readonly threads?: number;
  readonly modelDirectory?: string;
  /** How many recent texts to remember with their vectors; each takes about 2 KB. */
  readonly remembered?: number;
}

/** The native runtime does not load on this machine. The service can run on without meaning, by words alone. */
export class RuntimeUnavailable extends WhetstoneError {
  readonly retryable = false;
}

const SPACE = "all-MiniLM-L6-v2/int8/1";
const DIMENSIONS = 384;
const MODEL_FILE = "model_quantized.onnx";
const MODEL_SHA256 = "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1";
const MODEL = "models/all-MiniLM-L6-v2-int8";
/** 256 word pieces, which is all that the model reads, are hardly ever more characters than this. */
const MOST_CHARACTERS = 4_096;
/** Bounds what a waiting query has to wait for: as much as about thirty long texts, or a tenth of a second. */
const BATCH_TEXTS = 64;
const BATCH_CHARACTERS = 8_192;

interface Waiting {
  readonly text: string;
  urgent: boolean;
  readonly settle: Deferred<Float32Array>;
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** Rejects with a SetupError where the model's files are wrong, and with RuntimeUnavailable where it cannot run here. */
export async function localEmbedder(settings: LocalSettings = {}): Promise<Embedder> {
  const modelDirectory = settings.modelDirectory ?? join(packageRoot(), MODEL);
  await checkModel(join(modelDirectory, MODEL_FILE));
  const embedder = new LocalEmbedder(
    { modelDirectory, threads: settings.threads ?? 1 },
    settings.remembered ?? 2_048,
  );
  await embedder.start();
  return embedder;
}

class LocalEmbedder implements Embedder {
  readonly space = SPACE;
  readonly dimensions = DIMENSIONS;
  readonly #settings: ThreadSettings;
  readonly #remembered: Memory;
  readonly #waiting = new Map<string, Waiting>();
  #thread: Worker | null = null;
  #running: readonly Waiting[] = [];
  #batches = 0;
  #closed = false;

  constructor(settings: ThreadSettings, remembered: number) {
    this.#settings = settings;
    this.#remembered = new Memory(remembered);
  }

  async embed(texts: readonly string[], { kind, signal }: EmbedOptions): Promise<Float32Array[]> {
    if (this.#closed) throw closed();
    if (signal?.aborted) throw abandoned(signal);
    const vectors = Promise.all(
      texts.map((text) => this.#vectorOf(text.slice(0, MOST_CHARACTERS), kind === "query")),
    );
    this.#next();
    // A copy each: what a caller does to its vectors must not reach the next one's.
    return (await unlessAborted(vectors, signal)).map((vector) => vector.slice());
  }

  async close(): Promise<void> {
    this.#closed = true;
    const thread = this.#thread;
    this.#thread = null;
    this.#fail(closed());
    if (thread === null) return;
    thread.ref();
    const ended = once(thread, "exit");
    thread.postMessage({ kind: "stop" } satisfies Stop);
    await ended;
  }

  /** Resolves once the model is loaded. */
  async start(): Promise<void> {
    const thread = new Worker(threadEntry(), { workerData: this.#settings });
    this.#thread = thread;
    const ready = deferred<void>();
    thread.on("message", (answer: ThreadAnswer) => {
      if (answer.kind === "ready") ready.resolve();
      else if (answer.kind === "runtime-missing") {
        ready.reject(new RuntimeUnavailable(`the embedding runtime does not load here: ${answer.message}`));
      } else if (answer.kind === "unusable") {
        ready.reject(new SetupError(`the embedding model cannot be used: ${answer.message}. ${RESTORE}`));
      } else this.#answered(answer);
    });
    thread.on("error", (error) =>
      ready.reject(new RuntimeUnavailable("the embedding thread failed", { cause: error })),
    );
    thread.on("exit", () => {
      ready.reject(new RuntimeUnavailable("the embedding thread ended"));
      // A dead thread is replaced when the next text comes.
      if (this.#thread === thread) this.#thread = null;
      this.#fail(new EmbedderError("the embedding thread ended", { retryable: true }));
    });
    try {
      await ready.promise;
      // Idle, it keeps no process alive; at work it does.
      thread.unref();
    } catch (error) {
      // A thread that could not load has nothing to listen to, and ends by itself.
      if (this.#thread === thread) this.#thread = null;
      throw error;
    }
  }

  async #vectorOf(text: string, urgent: boolean): Promise<Float32Array> {
    const known = this.#remembered.get(text);
    if (known !== undefined) return known;
    const already = this.#waiting.get(text) ?? this.#running.find((running) => running.text === text);
    if (already !== undefined) {
      already.urgent ||= urgent;
      return await already.settle.promise;
    }
    const settle = deferred<Float32Array>();
    this.#waiting.set(text, { text, urgent, settle });
    return await settle.promise;
  }

  /** Gives the thread what is waiting, if it is free. */
  #next(): void {
    if (this.#running.length > 0 || this.#waiting.size === 0 || this.#closed) return;
    this.#running = this.#take();
    const batch: EmbedBatch = {
      kind: "embed",
      batch: ++this.#batches,
      texts: this.#running.map(({ text }) => text),
    };
    const hand = () => {
      this.#thread?.ref();
      this.#thread?.postMessage(batch);
    };
    if (this.#thread !== null) hand();
    else {
      this.start().then(hand, (error: unknown) =>
        this.#fail(
          new EmbedderError("the embedding thread did not start", { cause: error, retryable: true }),
        ),
      );
    }
  }

  #take(): Waiting[] {
    const order = [...this.#waiting.values()].sort(
      (a, b) => Number(b.urgent) - Number(a.urgent) || a.text.length - b.text.length,
    );
    const taken: Waiting[] = [];
    let characters = 0;
    for (const waiting of order) {
      characters += waiting.text.length;
      if (taken.length === BATCH_TEXTS || (taken.length > 0 && characters > BATCH_CHARACTERS)) break;
      taken.push(waiting);
      this.#waiting.delete(waiting.text);
    }
    return taken;
  }

  #answered(answer: ThreadAnswer & { kind: "embedded" | "failed" }): void {
    if (answer.batch !== this.#batches) return;
    const done = this.#running;
    this.#running = [];
    this.#thread?.unref();
    if (answer.kind === "failed") {
      const error = new EmbedderError(`the embedding model failed: ${answer.message}`, { retryable: true });
      for (const { settle } of done) settle.reject(error);
    } else {
      done.forEach(({ text, settle }, row) => {
        const vector = answer.vectors.slice(row * DIMENSIONS, (row + 1) * DIMENSIONS);
        this.#remembered.set(text, vector);
        settle.resolve(vector);
      });
    }
    this.#next();
  }

  /** Everyone who waits is told; nobody waits for ever. */
  #fail(error: EmbedderError): void {
    const lost = [...this.#running, ...this.#waiting.values()];
    this.#running = [];
    this.#waiting.clear();
    for (const { settle } of lost) settle.reject(error);
  }
}

/** The most recently used texts: a Map keeps the order of insertion, so the first key is the one unused for longest. */
class Memory {
  readonly #vectors = new Map<string, Float32Array>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(text: string): Float32Array | undefined {
    const vector = this.#vectors.get(text);
    if (vector !== undefined) {
      this.#vectors.delete(text);
      this.#vectors.set(text, vector);
    }
    return vector;
  }

  set(text: string, vector: Float32Array): void {
    this.#vectors.set(text, vector);
    if (this.#vectors.size <= this.#most) return;
    for (const oldest of this.#vectors.keys()) {
      this.#vectors.delete(oldest);
      return;
    }
  }
}

function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** The work itself goes on for whoever else waits for the same text; only this caller stops waiting. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  const aborted = deferred<never>();
  const abort = () => aborted.reject(abandoned(signal));
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function abandoned(signal: AbortSignal): EmbedderError {
  return new EmbedderError("the caller gave up waiting for an embedding", {
    cause: signal.reason,
    retryable: true,
  });
}

function closed(): EmbedderError {
  return new EmbedderError("the embedder is closed", { retryable: false });
}

const RESTORE = `Restore ${MODEL} from the package, or choose another embedder`;

async function checkModel(file: string): Promise<void> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk);
  } catch (error) {
    throw new SetupError(`the embedding model ${file} cannot be read. ${RESTORE}`, { cause: error });
  }
  if (hash.digest("hex") !== MODEL_SHA256) {
    throw new SetupError(`the embedding model ${file} is not the one this version was made for. ${RESTORE}`);
  }
}

/** This file runs from src/ in tests and from dist/ otherwise; Node 20 cannot run the thread from TypeScript. */
function threadEntry(): URL {
  const built = import.meta.url.endsWith(".ts")
    ? "../../dist/embedders/local-thread.js"
    : "./local-thread.js";
  return new URL(built, import.meta.url);
}

function packageRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, "package.json")) && dirname(directory) !== directory)
    directory = dirname(directory);
  return directory;
}
