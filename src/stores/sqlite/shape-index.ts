/**
 * What search needs of a tenant, in memory: vectors and words of its shapes. Rebuilt from the database, so there is
 * nothing to repair after a crash; before each use the tenant's version is compared, and only what is new is read.
 */
import type { ShapeSearch, StoredShape } from "../../ports/store.ts";
import type { Database } from "./driver.ts";
import { shapeOf, shapesAfter, versionOf } from "./intents.ts";

/** Rows read at once; between chunks the event loop gets its turn. */
const CHUNK = 500;

interface Entry {
  readonly shape: StoredShape;
  readonly space: string;
}

class TenantIndex {
  readonly epoch: number;
  version = 0;
  bytes = 0;
  readonly #entries: Entry[] = [];
  readonly #byWord = new Map<string, number[]>();

  constructor(epoch: number) {
    this.epoch = epoch;
  }

  add(entry: Entry, words: readonly string[]): void {
    const position = this.#entries.push(entry) - 1;
    for (const word of new Set(words)) {
      const positions = this.#byWord.get(word);
      if (positions === undefined) this.#byWord.set(word, [position]);
      else positions.push(position);
    }
    const { text, vector } = entry.shape;
    this.bytes += (vector?.byteLength ?? 0) + 2 * text.length + 8 * words.length + 200;
  }

  /** The best by cosine and the best by shared words, rarer words counting more. */
  search({ space, vector, words, limit }: ShapeSearch): StoredShape[] {
    const cosines = new Float64Array(this.#entries.length);
    this.#entries.forEach((entry, i) => {
      cosines[i] = entry.space === space && entry.shape.vector !== null ? dot(entry.shape.vector, vector) : 0;
    });
    const shared = new Float64Array(this.#entries.length);
    for (const word of new Set(words)) {
      const positions = this.#byWord.get(word) ?? [];
      const weight = Math.log(1 + this.#entries.length / (1 + positions.length));
      for (const position of positions) shared[position] = (shared[position] ?? 0) + weight;
    }
    const chosen = new Set([...largest(cosines, limit), ...largest(shared, limit)]);
    return [...chosen].flatMap((i) => {
      const entry = this.#entries[i];
      if (entry === undefined) return [];
      return [entry.space === space ? entry.shape : { ...entry.shape, vector: null }];
    });
  }
}

/** The positions of the largest positive values, largest first; among equals the earlier one. */
function largest(values: Float64Array, limit: number): number[] {
  return [...values.keys()]
    .filter((i) => (values[i] ?? 0) > 0)
    .sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b)
    .slice(0, limit);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/** Indexes of the tenants used last, within a budget of bytes. */
export class ShapeIndexes {
  readonly #db: Database;
  readonly #budget: number;
  readonly #loaded = new Map<string, Promise<TenantIndex>>();

  constructor(db: Database, budgetBytes: number) {
    this.#db = db;
    this.#budget = budgetBytes;
  }

  async search(tenantId: string, search: ShapeSearch): Promise<StoredShape[]> {
    const index = await this.#upToDate(tenantId);
    return index.search(search);
  }

  /** One caller at a time brings a tenant's index up to date; the others wait for the same. */
  async #upToDate(tenantId: string): Promise<TenantIndex> {
    const before = this.#loaded.get(tenantId) ?? Promise.resolve(null);
    const after = before.then(async (index) => this.#refresh(tenantId, index));
    // used last: to the end of the map, where eviction comes last
    this.#loaded.delete(tenantId);
    this.#loaded.set(tenantId, after);
    try {
      const index = await after;
      await this.#evict(tenantId);
      return index;
    } catch (error) {
      if (this.#loaded.get(tenantId) === after) this.#loaded.delete(tenantId);
      throw error;
    }
  }

  async #refresh(tenantId: string, known: TenantIndex | null): Promise<TenantIndex> {
    const now = versionOf(this.#db, tenantId);
    const index = known !== null && known.epoch === now.epoch ? known : new TenantIndex(now.epoch);
    while (index.version < now.version) {
      const rows = shapesAfter(this.#db, tenantId, index.version, CHUNK);
      for (const row of rows) {
        index.add({ shape: shapeOf(row, row.space), space: row.space }, row.words.split(" "));
      }
      index.version = rows.length < CHUNK ? now.version : (rows.at(-1)?.version ?? now.version);
      if (rows.length === CHUNK) await new Promise(setImmediate);
    }
    return index;
  }

  async #evict(keep: string): Promise<void> {
    let total = 0;
    for (const [, index] of this.#loaded) total += (await index).bytes;
    for (const [tenantId, index] of this.#loaded) {
      if (total <= this.#budget) return;
      if (tenantId === keep) continue;
      total -= (await index).bytes;
      this.#loaded.delete(tenantId);
    }
  }
}
