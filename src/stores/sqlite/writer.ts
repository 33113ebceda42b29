/**
 * The one door for writes. `inline` writes on the calling thread (commands, worker threads, tests); `threaded` on a
 * thread of its own, so that waiting for the disk never holds up the event loop of a server.
 * Both gather what arrives while a commit is under way and write it together.
 */
import { Worker } from "node:worker_threads";
import { StoreUnavailable } from "../../domain/errors.ts";
import { type Database, translate } from "./driver.ts";
import {
  type Argument,
  type OperationName,
  type Result,
  type Write,
  writeAll,
  type Written,
} from "./operations.ts";

export interface Writer {
  write<Name extends OperationName>(name: Name, argument: Argument<Name>): Promise<Result<Name>>;
  /**
   * Goes with whatever commit comes next, within a second. Nobody waits for it and nobody hears of its failure: for what
   * may be lost in a crash. It stands before whatever is asked to be written after it.
   */
  writeSoon<Name extends OperationName>(name: Name, argument: Argument<Name>): void;
  /** Waits for what was asked before. */
  close(): Promise<void>;
}

interface Waiting extends Write {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/** The longest that a write may wait for company, and the most that may wait. */
const SOON_MS = 900;
const MOST_SOON = 5_000;

const unheard = (): void => {};

/** Gathers writes of one turn of the event loop and hands them on as one batch, one batch at a time. */
class Gatherer implements Writer {
  #waiting: Waiting[] = [];
  #soon: Waiting[] = [];
  #timer: NodeJS.Timeout | null = null;
  #flushing: Promise<void> | null = null;
  readonly #writeBatch: (writes: readonly Write[]) => Promise<readonly Written[]>;
  readonly #release: () => Promise<void>;

  constructor(
    writeBatch: (writes: readonly Write[]) => Promise<readonly Written[]>,
    release: () => Promise<void>,
  ) {
    this.#writeBatch = writeBatch;
    this.#release = release;
  }

  async write<Name extends OperationName>(name: Name, argument: Argument<Name>): Promise<Result<Name>> {
    return new Promise((resolve, reject) => {
      this.#takeSoon();
      this.#waiting.push({ name, argument, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  writeSoon<Name extends OperationName>(name: Name, argument: Argument<Name>): void {
    this.#soon.push({ name, argument, resolve: unheard, reject: unheard });
    this.#timer ??= setTimeout(() => this.#writeWhatIsSoon(), SOON_MS).unref();
    if (this.#soon.length >= MOST_SOON) this.#writeWhatIsSoon();
  }

  async close(): Promise<void> {
    this.#writeWhatIsSoon();
    await this.#flushing;
    await this.#release();
  }

  #writeWhatIsSoon(): void {
    this.#takeSoon();
    if (this.#waiting.length > 0) this.#flushing ??= this.#flush();
  }

  /** To the end of the line: whatever is asked after this comes after it. */
  #takeSoon(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const one of this.#soon.splice(0)) this.#waiting.push(one);
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      await new Promise(setImmediate);
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        const written = await this.#writeBatch(batch.map(({ name, argument }) => ({ name, argument })));
        batch.forEach(({ resolve, reject }, i) => {
          const answer = written[i];
          if (answer !== undefined && "result" in answer) resolve(answer.result as never);
          else reject(answer?.error ?? new Error("the writer did not answer"));
        });
      } catch (error) {
        for (const { reject } of batch) reject(error as Error);
      }
    }
    this.#flushing = null;
  }
}

export function inlineWriter(db: Database): Writer {
  const writeBatch = async (writes: readonly Write[]) => writeAll(db, writes).map(withClass);
  return new Gatherer(writeBatch, async () => {});
}

/** Errors lose their class on the way between threads; the code that tells it apart travels with them. */
function withClass(written: Written): Written {
  return "error" in written ? { error: translate(written.error) } : written;
}

export function threadedWriter(file: string): Writer {
  let thread: WriterThread | null = null;
  const writeBatch = async (writes: readonly Write[]): Promise<Written[]> => {
    // a thread that died is followed by another; what it had not committed was not acknowledged
    if (thread === null || thread.isGone()) thread = new WriterThread(file);
    const written = await thread.write(writes);
    return written.map((one) => ("failure" in one ? { error: translate(revive(one.failure)) } : one));
  };
  return new Gatherer(writeBatch, async () => thread?.close());
}

class WriterThread {
  readonly #thread: Worker;
  #waiting: { resolve: (written: readonly ThreadWritten[]) => void; reject: (error: Error) => void } | null =
    null;
  #gone: Error | null = null;

  constructor(file: string) {
    this.#thread = new Worker(new URL("./writer-thread.js", import.meta.url), { workerData: { file } });
    this.#thread.on("message", (written: readonly ThreadWritten[]) => this.#waiting?.resolve(written));
    this.#thread.on("error", (error) => this.#lose(error));
    this.#thread.on("exit", (code) => this.#lose(new Error(`the writer thread ended with code ${code}`)));
  }

  isGone(): boolean {
    return this.#gone !== null;
  }

  write(writes: readonly Write[]): Promise<readonly ThreadWritten[]> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#gone === null) this.#thread.postMessage(writes, payloadsOf(writes));
      else reject(this.#gone);
    });
  }

  async close(): Promise<void> {
    if (this.#gone !== null) return;
    const ended = new Promise((resolve) => this.#thread.once("exit", resolve));
    this.#thread.postMessage("close");
    await ended;
  }

  #lose(cause: Error): void {
    this.#gone ??= new StoreUnavailable("the database writer stopped", { cause });
    this.#waiting?.reject(this.#gone);
  }
}

/** Uploads are the bulk of what is sent: they are handed over, not copied. Nobody here looks at them again. */
function payloadsOf(writes: readonly Write[]): ArrayBuffer[] {
  return writes.flatMap(({ name, argument }) => {
    if (name !== "enqueue") return [];
    const { payload } = (argument as Argument<"enqueue">).job;
    const ownsBuffer = payload.byteLength === payload.buffer.byteLength;
    return ownsBuffer && payload.buffer instanceof ArrayBuffer ? [payload.buffer] : [];
  });
}

export type ThreadWritten = { readonly result: unknown } | { readonly failure: Failure };

/** An error as it crosses threads. */
export interface Failure {
  readonly message: string;
  readonly errcode: number | null;
}

function revive(failure: Failure): Error {
  return Object.assign(
    new Error(failure.message),
    failure.errcode === null ? {} : { errcode: failure.errcode },
  );
}
