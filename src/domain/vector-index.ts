/**
 * One tenant's vectors in memory, to find the nearest by looking at all of them: a byte a number and a scale a vector,
 * which is a quarter of the size and loses no neighbour as long as the caller takes a few more than it needs and puts
 * them in order by the full vectors. Adding and removing take the same short time however many there are.
 */
import {
  LANES,
  plainKernel,
  type ScanKernel,
  type ScanMemory,
  scanMemory,
  simdKernel,
} from "./scan-kernel.ts";

/** A vector as it is kept: `values * scale` is, nearly, the original. */
export interface Quantised {
  readonly values: Int8Array;
  readonly scale: number;
}

export interface Neighbour {
  readonly id: string;
  /** The dot product, for unit vectors the cosine, to about two digits. */
  readonly score: number;
}

const PAGE = 65_536;
/** Rows scanned between two looks at the answers; they stay in the processor's nearest cache. */
const BLOCK = 1_024;
/** Grown by an eighth, at least this much: few copies and little waste. */
const LEAST_GROWTH = 1 << 20;
/** What a Map entry, an array slot and a string take besides the string's characters; measured, and rounded up. */
const ID_OVERHEAD = 96;

export function quantise(vector: Float32Array): Quantised {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const scale = largest / 127 || 1;
  return { values: Int8Array.from(vector, (value) => Math.round(value / scale)), scale };
}

export class VectorIndex {
  readonly dimensions: number;
  readonly #memory: ScanMemory;
  readonly #scan: ScanKernel;
  readonly #rowBytes: number;
  /** Memory: the query as int16, the answers of one block as int32, then the rows. */
  readonly #answersAt: number;
  readonly #rowsAt: number;
  readonly #places = new Map<string, number>();
  readonly #ids: string[] = [];
  #scales = new Float32Array(64);
  #idBytes = 0;

  /** `plain` forgoes WebAssembly's SIMD, as a machine without it would. */
  constructor(dimensions: number, kernel: "fastest" | "plain" = "fastest") {
    this.dimensions = dimensions;
    this.#rowBytes = Math.ceil(dimensions / LANES) * LANES;
    this.#answersAt = 2 * this.#rowBytes;
    this.#rowsAt = this.#answersAt + 4 * BLOCK;
    this.#memory = scanMemory(Math.ceil(this.#rowsAt / PAGE));
    this.#scan = (kernel === "fastest" ? simdKernel(this.#memory) : null) ?? plainKernel(this.#memory);
  }

  get size(): number {
    return this.#ids.length;
  }

  /** What the index takes up, for a budget over many tenants. */
  get bytes(): number {
    return this.#memory.buffer.byteLength + this.#scales.byteLength + this.#idBytes;
  }

  has(id: string): boolean {
    return this.#places.has(id);
  }

  /** Adds, or replaces what has this id. */
  add(id: string, { values, scale }: Quantised): void {
    if (values.length !== this.dimensions) {
      throw new RangeError(`a vector of ${values.length} numbers in an index of ${this.dimensions}`);
    }
    const known = this.#places.get(id);
    const place = known ?? this.#ids.length;
    if (known === undefined) {
      this.#reserve(place + 1);
      this.#ids.push(id);
      this.#places.set(id, place);
      this.#idBytes += 2 * id.length + ID_OVERHEAD;
    }
    new Int8Array(this.#memory.buffer).set(values, this.#rowAt(place));
    this.#scales[place] = scale;
  }

  /** The last row takes the place of the removed one. False: there was none. */
  remove(id: string): boolean {
    const place = this.#places.get(id);
    if (place === undefined) return false;
    this.#places.delete(id);
    this.#idBytes -= 2 * id.length + ID_OVERHEAD;
    const last = this.#ids.pop();
    if (last !== undefined && last !== id) {
      const from = this.#rowAt(this.#ids.length);
      new Int8Array(this.#memory.buffer).copyWithin(this.#rowAt(place), from, from + this.#rowBytes);
      this.#scales[place] = this.#scales[this.#ids.length] ?? 1;
      this.#ids[place] = last;
      this.#places.set(last, place);
    }
    return true;
  }

  /** The `wanted` nearest, nearest first. Ask for about 50 more than needed and order them by the full vectors. */
  nearest(query: Float32Array, wanted: number): Neighbour[] {
    if (query.length !== this.dimensions) {
      throw new RangeError(`a query of ${query.length} numbers in an index of ${this.dimensions}`);
    }
    const asked = quantise(query);
    const lanes = new Int16Array(this.#memory.buffer, 0, this.#rowBytes);
    lanes.fill(0);
    lanes.set(asked.values);
    const best = new Best(Math.min(wanted, this.size));
    for (let from = 0; from < this.size; from += BLOCK) {
      const to = Math.min(from + BLOCK, this.size);
      this.#scan(0, this.#rowAt(from), this.#rowAt(to), this.#rowBytes, this.#answersAt);
      const answers = new Int32Array(this.#memory.buffer, this.#answersAt, to - from);
      for (let at = 0; at < answers.length; at += 1) {
        best.offer((answers[at] as number) * (this.#scales[from + at] as number), from + at);
      }
    }
    return best
      .sorted()
      .map(([score, place]) => ({ id: this.#ids[place] ?? "", score: score * asked.scale }));
  }

  #rowAt(place: number): number {
    return this.#rowsAt + place * this.#rowBytes;
  }

  #reserve(rows: number): void {
    const missing = this.#rowAt(rows) - this.#memory.buffer.byteLength;
    if (missing > 0) {
      const growth = Math.max(missing, LEAST_GROWTH, this.#memory.buffer.byteLength >> 3);
      this.#memory.grow(Math.ceil(growth / PAGE));
    }
    if (rows > this.#scales.length) {
      const larger = new Float32Array(this.#scales.length * 2);
      larger.set(this.#scales);
      this.#scales = larger;
    }
  }
}

/** The best few of many: a heap with the worst of them on top, so that most offers end at the first comparison. */
class Best {
  readonly #most: number;
  readonly #scores: Float64Array;
  readonly #places: Uint32Array;
  #held = 0;

  constructor(most: number) {
    this.#most = most;
    this.#scores = new Float64Array(most);
    this.#places = new Uint32Array(most);
  }

  offer(score: number, place: number): void {
    if (this.#held < this.#most) this.#rise(this.#held++, score, place);
    else if (score > (this.#scores[0] ?? Number.POSITIVE_INFINITY)) this.#sink(score, place);
  }

  sorted(): [score: number, place: number][] {
    return Array.from(this.#scores.subarray(0, this.#held), (score, at): [number, number] => [
      score,
      this.#places[at] ?? 0,
    ]).sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  }

  #rise(from: number, score: number, place: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((this.#scores[parent] as number) <= score) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, score, place);
  }

  /** Replaces the worst. */
  #sink(score: number, place: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#held) break;
      if (child + 1 < this.#held && (this.#scores[child + 1] as number) < (this.#scores[child] as number))
        child += 1;
      if ((this.#scores[child] as number) >= score) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, score, place);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#scores[from] as number, this.#places[from] as number);
  }

  #put(at: number, score: number, place: number): void {
    this.#scores[at] = score;
    this.#places[at] = place;
  }
}
