import type { Keys } from "../../src/ports/keys.ts";
import type { Queue } from "../../src/ports/queue.ts";
import type { Store } from "../../src/ports/store.ts";

/** The three ports of one engine, empty. */
export interface Stores {
  readonly store: Store;
  readonly queue: Queue;
  readonly keys: Keys;
}
