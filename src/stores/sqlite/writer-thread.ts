/** The thread behind `threadedWriter`: takes a batch, commits it, answers. */
import { parentPort, workerData } from "node:worker_threads";
import { openDatabase } from "./driver.ts";
import { type Write, writeAll } from "./operations.ts";
import type { Failure, ThreadWritten } from "./writer.ts";

const port = parentPort;
if (port === null) throw new Error("this file runs as a worker thread");
const db = openDatabase((workerData as { file: string }).file, { readOnly: false });

port.on("message", (message: readonly Write[] | "close") => {
  if (message === "close") {
    db.close();
    port.close();
    return;
  }
  const answers: ThreadWritten[] = writeAll(db, message).map((written) =>
    "error" in written ? { failure: describe(written.error) } : written,
  );
  port.postMessage(answers);
});

function describe(error: Error): Failure {
  const { errcode } = error as { errcode?: unknown };
  return { message: error.message, errcode: typeof errcode === "number" ? errcode : null };
}
