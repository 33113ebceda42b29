/**
 * The thread in which the local model runs, so that the event loop never waits for it. Started by local.ts only.
 *
 * One text is one inference, though texts arrive in batches. The int8 model picks its activation scales from all it is
 * given at once, so a text's vector would depend on its company (measured: cosines down to .96 with itself), and the
 * same text must always give the same vector. Batched inference would be 1.6 times as fast.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { Tokenizer } from "@huggingface/tokenizers";
import type * as Onnx from "onnxruntime-node";

export interface ThreadSettings {
  readonly modelDirectory: string;
  readonly threads: number;
}

export interface EmbedBatch {
  readonly kind: "embed";
  readonly batch: number;
  readonly texts: readonly string[];
}

/** Ends the thread between two inferences. Terminating it during one would abort the whole process. */
export interface Stop {
  readonly kind: "stop";
}

/** `vectors` holds one row of `dimensions` numbers a text, in the order asked. */
export type ThreadAnswer =
  | { readonly kind: "ready" }
  | { readonly kind: "runtime-missing"; readonly message: string }
  | { readonly kind: "unusable"; readonly message: string }
  | { readonly kind: "embedded"; readonly batch: number; readonly vectors: Float32Array }
  | { readonly kind: "failed"; readonly batch: number; readonly message: string };

export const DIMENSIONS = 384;
const MOST_WORD_PIECES = 256;
const END_OF_TEXT = 102;

type Runtime = typeof Onnx;

interface Model {
  readonly runtime: Runtime;
  readonly session: Onnx.InferenceSession;
  readonly tokenizer: Tokenizer;
}

async function serve({ modelDirectory, threads }: ThreadSettings): Promise<void> {
  const say = (answer: ThreadAnswer) => parentPort?.postMessage(answer);
  let runtime: Runtime;
  try {
    runtime = await import("onnxruntime-node");
  } catch (error) {
    say({ kind: "runtime-missing", message: messageOf(error) });
    return;
  }
  let model: Model;
  try {
    model = await load(runtime, modelDirectory, threads);
  } catch (error) {
    say({ kind: "unusable", message: messageOf(error) });
    return;
  }
  // A message may arrive while an earlier one is still at work: they wait for each other in a chain.
  let work = Promise.resolve();
  const stopping = new AbortController();
  parentPort?.on("message", (message: EmbedBatch | Stop) => {
    if (message.kind === "stop") {
      stopping.abort();
      work = work.then(() => parentPort?.close());
      return;
    }
    const { batch, texts } = message;
    work = work.then(async () => {
      try {
        const vectors = await embedAll(model, texts, stopping.signal);
        parentPort?.postMessage({ kind: "embedded", batch, vectors } satisfies ThreadAnswer, [
          vectors.buffer,
        ]);
      } catch (error) {
        say({ kind: "failed", batch, message: messageOf(error) });
      }
    });
  });
  say({ kind: "ready" });
}

async function load(runtime: Runtime, directory: string, threads: number): Promise<Model> {
  const json = async (name: string): Promise<object> =>
    JSON.parse(await readFile(join(directory, name), "utf8"));
  const tokenizer = new Tokenizer(await json("tokenizer.json"), await json("tokenizer_config.json"));
  const session = await runtime.InferenceSession.create(join(directory, "model_quantized.onnx"), {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
  });
  return { runtime, session, tokenizer };
}

async function embedAll(
  model: Model,
  texts: readonly string[],
  stopping: AbortSignal,
): Promise<Float32Array<ArrayBuffer>> {
  const vectors = new Float32Array(texts.length * DIMENSIONS);
  for (const [row, text] of texts.entries()) {
    stopping.throwIfAborted();
    vectors.set(await embedOne(model, text), row * DIMENSIONS);
  }
  return vectors;
}

async function embedOne({ runtime, session, tokenizer }: Model, text: string): Promise<Float32Array> {
  const pieces = tokenizer.encode(text).ids;
  if (pieces.length > MOST_WORD_PIECES) pieces.splice(MOST_WORD_PIECES - 1, Infinity, END_OF_TEXT);
  const row = (values: readonly number[]): Onnx.Tensor =>
    new runtime.Tensor("int64", BigInt64Array.from(values, BigInt), [1, values.length]);
  const output = await session.run({
    input_ids: row(pieces),
    attention_mask: row(pieces.map(() => 1)),
    token_type_ids: row(pieces.map(() => 0)),
  });
  const states = output.last_hidden_state?.data;
  if (!(states instanceof Float32Array) || states.length !== pieces.length * DIMENSIONS) {
    throw new Error("the model answered in an unexpected shape");
  }
  return unitMean(states, pieces.length);
}

function unitMean(states: Float32Array, rows: number): Float32Array {
  const mean = new Float64Array(DIMENSIONS);
  for (let row = 0; row < rows; row += 1) {
    for (let at = 0; at < DIMENSIONS; at += 1)
      mean[at] = (mean[at] ?? 0) + (states[row * DIMENSIONS + at] ?? 0);
  }
  const length = Math.sqrt(mean.reduce((sum, value) => sum + value * value, 0)) || 1;
  return Float32Array.from(mean, (value) => value / length);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// Imported for its types it does nothing; started as a thread it serves.
if (parentPort !== null && isSettings(workerData)) await serve(workerData);

function isSettings(data: unknown): data is ThreadSettings {
  return typeof data === "object" && data !== null && "modelDirectory" in data && "threads" in data;
}
