import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LANES, plainKernel, scanMemory, simdKernel } from "../../src/domain/scan-kernel.ts";
import { quantise, VectorIndex } from "../../src/domain/vector-index.ts";

/** Seeded, so that a failure can be looked at twice. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Unit vectors in clusters, as intents are. */
function clustered(count: number, dimensions: number, seed: number): Float32Array[] {
  const next = numbers(seed);
  const bell = () => Math.sqrt(-2 * Math.log(next() + 1e-12)) * Math.cos(2 * Math.PI * next());
  const centres = Array.from({ length: 40 }, () => Float32Array.from({ length: dimensions }, bell));
  return Array.from({ length: count }, () => {
    const centre = centres[Math.floor(next() * centres.length)] ?? new Float32Array(dimensions);
    const vector = centre.map((value) => value + 0.7 * bell());
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  });
}

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

describe("the scan kernel", () => {
  it("computes in WebAssembly what plain JavaScript computes", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer(),
        (chunks, rows, seed) => {
          const rowBytes = chunks * LANES;
          const memory = scanMemory(1);
          const next = numbers(seed);
          const query = new Int16Array(memory.buffer, 0, rowBytes).map(() => Math.floor(next() * 255) - 127);
          new Int16Array(memory.buffer, 0, rowBytes).set(query);
          const [answersAt, rowsAt] = [2 * rowBytes, 2 * rowBytes + 4 * rows];
          new Int8Array(memory.buffer, rowsAt, rows * rowBytes).forEach(
            (_, at, all) => (all[at] = Math.floor(next() * 256) - 128),
          );
          const run = (scan: ReturnType<typeof simdKernel>) => {
            scan?.(0, rowsAt, rowsAt + rows * rowBytes, rowBytes, answersAt);
            return [...new Int32Array(memory.buffer, answersAt, rows)];
          };
          expect(run(simdKernel(memory))).toEqual(run(plainKernel(memory)));
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe.each(["fastest", "plain"] as const)("the vector index (%s)", (kernel) => {
  it("finds the ten nearest of thousands, once reordered by the full vectors", () => {
    const vectors = clustered(3_000, 384, 7);
    const index = new VectorIndex(384, kernel);
    vectors.forEach((vector, n) => index.add(`${n}`, quantise(vector)));
    for (const query of clustered(15, 384, 7).map((vector) =>
      vector.map((value, at) => value + (at % 3) / 60),
    )) {
      const exact = vectors.map((vector, n) => ({ id: `${n}`, score: dot(vector, query) }));
      const ten = exact.sort((a, b) => b.score - a.score).slice(0, 10);
      const found = index
        .nearest(query, 60)
        .map(({ id }) => ({ id, score: dot(vectors[Number(id)] ?? query, query) }))
        .sort((a, b) => b.score - a.score);
      expect(found.slice(0, 10).map(({ id }) => id)).toEqual(ten.map(({ id }) => id));
    }
  });

  it("scores near the true dot product, nearest first", () => {
    const [query = new Float32Array(), ...vectors] = clustered(200, 100, 3);
    const index = new VectorIndex(100, kernel);
    vectors.forEach((vector, n) => index.add(`${n}`, quantise(vector)));
    const found = index.nearest(query, 20);
    expect(found).toHaveLength(20);
    expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).sort((a, b) => b - a));
    for (const { id, score } of found) expect(score).toBeCloseTo(dot(vectors[Number(id)] ?? query, query), 1);
  });
});

describe("the vector index", () => {
  it("holds what was added and not removed, whatever the order", () => {
    const vectors = clustered(40, 20, 5);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(39), fc.boolean()), { maxLength: 120 }), (steps) => {
        const index = new VectorIndex(20);
        const expected = new Map<string, Float32Array>();
        for (const [n, adds] of steps) {
          const vector = vectors[n] ?? new Float32Array(20);
          if (adds) {
            index.add(`${n}`, quantise(vector));
            expected.set(`${n}`, vector);
          } else expect(index.remove(`${n}`)).toBe(expected.delete(`${n}`));
        }
        expect(index.size).toBe(expected.size);
        for (const [id, vector] of expected) expect(index.nearest(vector, 1)[0]?.id).toBe(id);
        const all = index.nearest(vectors[0] ?? new Float32Array(20), 100);
        expect(all.map(({ id }) => id).sort()).toEqual([...expected.keys()].sort());
      }),
    );
  });

  it("replaces a vector that is added again", () => {
    const [first = new Float32Array(), second = new Float32Array()] = clustered(2, 32, 9);
    const index = new VectorIndex(32);
    index.add("a", quantise(first));
    index.add("a", quantise(second));
    expect(index.size).toBe(1);
    expect(index.nearest(second, 1)[0]?.score).toBeCloseTo(1, 1);
  });

  it("says how much memory it takes, about a byte a number", () => {
    const index = new VectorIndex(384);
    clustered(100, 384, 1).forEach((vector, n) => index.add(`${n}`, quantise(vector)));
    const few = index.bytes;
    const quantised = quantise(new Float32Array(384).fill(0.05));
    for (let n = 0; n < 20_000; n += 1) index.add(`n${n}`, quantised);
    expect(index.bytes - few).toBeGreaterThan(20_000 * 384);
    expect(index.bytes).toBeLessThan(20_000 * 384 * 1.6);
  });

  it("takes a vector of zeros, an empty index and more wanted than there are", () => {
    const index = new VectorIndex(16);
    expect(index.nearest(new Float32Array(16), 5)).toEqual([]);
    index.add("zero", quantise(new Float32Array(16)));
    expect(index.nearest(new Float32Array(16).fill(0.25), 5)).toEqual([{ id: "zero", score: 0 }]);
  });

  it("refuses vectors of another space", () => {
    const index = new VectorIndex(16);
    expect(() => index.add("a", quantise(new Float32Array(15)))).toThrow(RangeError);
    expect(() => index.nearest(new Float32Array(17), 1)).toThrow(RangeError);
  });
});
