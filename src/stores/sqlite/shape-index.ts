/**
 * What search needs of a tenant, in memory: its shapes' vectors, a byte a number, and their words. Rebuilt from the
 * database, so there is nothing to repair after a crash; before each use the tenant's version is compared, and only
 * what is new is read. It names candidates; what is answered is read from the database, in full precision.
 */
import { quantise, VectorIndex } from "../../domain/vector-index.ts";
import type { ShapeSearch } from "../../ports/store.ts";
import type { Database } from "./driver.ts";
import { shapeOf, type ShapeRow, shapesAfter, versionOf } from "./intents.ts";

/** Rows read at once; between chunks the event loop gets its turn. */
const CHUNK = 1_000;
/** The coarse vectors misplace a neighbour by a few places: so many more are taken than are wanted. */
const MARGIN = 24;

/** Ids of shapes. */
export interface Candidates {
  readonly near: readonly string[];
  readonly byWords: readonly string[];
}

class TenantIndex {
  readonly epoch: number;
  version = 0;
  readonly #spaces = new Map<string, VectorIndex>();
  readonly #ids: string[] = [];
  readonly #byWord = new Map<string, number[]>();
  #wordBytes = 0;
  #shared = new Float32Array(64);

  constructor(epoch: number) {
    this.epoch = epoch;
  }

  get bytes(): number {
    let bytes = this.#wordBytes;
    for (const index of this.#spaces.values()) bytes += index.bytes;
    return bytes;
  }

  add(row: ShapeRow): void {
    const { vector } = shapeOf(row, row.space);
    if (vector !== null) {
      const index = this.#spaces.get(row.space) ?? new VectorIndex(vector.length);
      this.#spaces.set(row.space, index);
      index.add(row.shape_id, quantise(vector));
    }
    const position = this.#ids.push(row.shape_id) - 1;
    const words = new Set(row.words.split(" "));
    for (const word of words) {
      const positions = this.#byWord.get(word);
      if (positions === undefined) this.#byWord.set(word, [position]);
      else positions.push(position);
    }
    this.#wordBytes += 100 + 12 * words.size;
  }

  /** The best by cosine, with some to spare, and the best by shared words, rarer words counting more. */
  candidates({ space, vector, words, limit }: ShapeSearch): Candidates {
    const near = this.#spaces.get(space)?.nearest(vector, limit + MARGIN) ?? [];
    // one array for all positions, cleared by whoever wrote to it: a common word touches every shape
    if (this.#shared.length < this.#ids.length) this.#shared = new Float32Array(2 * this.#ids.length);
    const touched: number[] = [];
    for (const word of new Set(words)) {
      const positions = this.#byWord.get(word) ?? [];
      const weight = Math.log(1 + this.#ids.length / (1 + positions.length));
      for (const position of positions) {
        if (this.#shared[position] === 0) touched.push(position);
        this.#shared[position] = (this.#shared[position] as number) + weight;
      }
    }
    const byWords = largest(this.#shared, touched, limit).map((position) => this.#ids[position] ?? "");
    for (const position of touched) this.#shared[position] = 0;
    return { near: near.filter(({ score }) => score > 0).map(({ id }) => id), byWords };
  }
}

/** Of the given positions those with the largest values, largest first; among equals the smaller position. */
function largest(values: Float32Array, positions: readonly number[], limit: number): number[] {
  const best: number[] = [];
  const isBetter = (a: number, b: number): boolean => {
    const difference = (values[a] as number) - (values[b] as number);
    return difference > 0 || (difference === 0 && a < b);
  };
  for (const position of positions) {
    const last = best.at(-1);
    if (best.length >= limit && last !== undefined && !isBetter(position, last)) continue;
    let place = best.length;
    while (place > 0 && isBetter(position, best[place - 1] ?? 0)) place -= 1;
    best.splice(place, 0, position);
    if (best.length > limit) best.pop();
  }
  return best;
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

  async candidates(tenantId: string, search: ShapeSearch): Promise<Candidates> {
    const index = await this.#upToDate(tenantId);
    return index.candidates(search);
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
      for (const row of rows) index.add(row);
      const last = rows.at(-1)?.version ?? now.version;
      index.version = rows.length < CHUNK ? Math.max(now.version, last) : last;
      if (rows.length === CHUNK) await new Promise(setImmediate);
    }
    return index;
  }

  async #evict(keep: string): Promise<void> {
    if (this.#loaded.size === 1) return;
    let total = 0;
    const bytesOf = async (index: Promise<TenantIndex>) => (await index.catch(() => null))?.bytes ?? 0;
    for (const [, index] of this.#loaded) total += await bytesOf(index);
    for (const [tenantId, index] of this.#loaded) {
      if (total <= this.#budget) return;
      if (tenantId === keep) continue;
      total -= await bytesOf(index);
      this.#loaded.delete(tenantId);
    }
  }
}
