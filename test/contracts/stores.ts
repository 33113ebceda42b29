import type { Keys } from "../../src/ports/keys.ts";
import type { Ledger } from "../../src/ports/ledger.ts";
import type { Queue } from "../../src/ports/queue.ts";
import type { Store } from "../../src/ports/store.ts";

/** The four ports of one engine, empty. */
export interface Stores {
  readonly store: Store;
  readonly queue: Queue;
  readonly keys: Keys;
  readonly ledger: Ledger;
}
