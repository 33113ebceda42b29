/**
 * The inner loop of the vector index: dot products of one int16 query with int8 rows, sixteen numbers an instruction.
 * WebAssembly has that instruction and JavaScript does not, and a compiler for forty lines would be a heavy dependency,
 * so the module is assembled here by hand. `plainKernel` says the same in JavaScript: it is what the bytes are tested
 * against, and what runs where WebAssembly has no SIMD.
 */

/** Writes to `out` the dot product of the query with each row from `rows` to before `end`. All are byte addresses. */
export type ScanKernel = (query: number, rows: number, end: number, rowBytes: number, out: number) => void;

/** Rows are a whole number of these. */
export const LANES = 16;

/** The part of WebAssembly in use: its types belong to the browser's library, which a server does not include. */
interface Wasm {
  readonly Memory: new (size: { initial: number }) => ScanMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: object,
  ) => { readonly exports: { readonly scan: ScanKernel } };
  validate(bytes: Uint8Array): boolean;
}

/** `buffer` is another one after every growth. */
export interface ScanMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: Wasm };

export function scanMemory(pages: number): ScanMemory {
  return new wasm.Memory({ initial: pages });
}

/** Null where this machine's WebAssembly has no SIMD. */
export function simdKernel(memory: ScanMemory): ScanKernel | null {
  const bytes = moduleBytes();
  if (!wasm.validate(bytes)) return null;
  return new wasm.Instance(new wasm.Module(bytes), { env: { memory } }).exports.scan;
}

export function plainKernel(memory: ScanMemory): ScanKernel {
  return (query, rows, end, rowBytes, out) => {
    const numbers = new Int8Array(memory.buffer);
    const asked = new Int16Array(memory.buffer, query, rowBytes);
    const answers = new Int32Array(memory.buffer, out, (end - rows) / rowBytes);
    for (let row = rows, at = 0; row < end; row += rowBytes, at += 1) {
      let sum = 0;
      for (let lane = 0; lane < rowBytes; lane += 1)
        sum += (numbers[row + lane] as number) * (asked[lane] as number);
      answers[at] = sum;
    }
  };
}

const I32 = 0x7f;
const V128 = 0x7b;
const NO_RESULT = 0x40;
// Locals: the five parameters, then our own.
const [QUERY, ROW, END, ROW_BYTES, OUT, ASKED, STOP, CHUNK, LOW, HIGH] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
] as const;

/** Instructions, written one after the other and in groups. */
type Code = readonly (number | Code)[];

const get = (local: number): Code => [0x20, local];
const set = (local: number): Code => [0x21, local];
const number = (value: number): Code => [0x41, signed(value)];
const add: Code = [0x6a];
const lessThan: Code = [0x49]; // unsigned: addresses
const advance = (local: number, by: Code): Code => [get(local), by, add, set(local)];
const loop = (...body: Code): Code => [0x03, NO_RESULT, body, 0x0b];
const repeatIf = (...condition: Code): Code => [condition, 0x0d, 0x00];
const storeNumber: Code = [0x36, 2, 0]; // aligned to 2^2 bytes
const simd = (operation: number, ...rest: number[]): Code => [0xfd, unsigned(operation), rest];
const loadVector = (offset: number) => simd(0x00, 0, offset);
const zeroVector = simd(0x0c, ...Array.from({ length: 16 }, () => 0));
const widenLow = simd(0x87); // i16x8.extend_low_i8x16_s
const widenHigh = simd(0x88); // i16x8.extend_high_i8x16_s
const multiplyPairs = simd(0xba); // i32x4.dot_i16x8_s
const addVectors = simd(0xae); // i32x4.add
const lane = (at: number) => simd(0x1b, at); // i32x4.extract_lane

/** One module: it imports `env.memory` and exports `scan`. */
function moduleBytes(): Uint8Array<ArrayBuffer> {
  const accumulate = (sum: number, widen: Code, offset: number): Code => [
    [get(sum), get(CHUNK), widen],
    [get(ASKED), loadVector(offset)],
    [multiplyPairs, addVectors, set(sum)],
  ];
  const body = written([
    // own locals: ASKED and STOP are numbers; CHUNK, LOW and HIGH are vectors
    [2, 2, I32, 3, V128],
    loop(
      // one row: two sums, so that neither waits for the other
      [zeroVector, set(LOW), zeroVector, set(HIGH)],
      [get(QUERY), set(ASKED)],
      [get(ROW), get(ROW_BYTES), add, set(STOP)],
      loop(
        [get(ROW), loadVector(0), set(CHUNK)],
        accumulate(LOW, widenLow, 0),
        accumulate(HIGH, widenHigh, 16),
        advance(ROW, number(LANES)),
        advance(ASKED, number(2 * LANES)),
        repeatIf(get(ROW), get(STOP), lessThan),
      ),
      [get(LOW), get(HIGH), addVectors, set(LOW)],
      get(OUT),
      [get(LOW), lane(0), get(LOW), lane(1), add],
      [get(LOW), lane(2), add, get(LOW), lane(3), add],
      storeNumber,
      advance(OUT, number(4)),
      repeatIf(get(ROW), get(END), lessThan),
    ),
    0x0b,
  ]);
  return Uint8Array.from(
    written([
      [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // "\0asm", version 1
      section(1, [1, 0x60, 5, I32, I32, I32, I32, I32, 0]), // one type: five numbers, no result
      section(2, [1, name("env"), name("memory"), 0x02, 0x00, 1]), // at least one page
      section(3, [1, 0]), // one function, of type 0
      section(7, [1, name("scan"), 0x00, 0]),
      section(10, [1, unsigned(body.length), body]),
    ]),
  );
}

function written(code: Code): number[] {
  return code.flatMap((part) => (typeof part === "number" ? part : written(part)));
}

function section(id: number, content: Code): Code {
  const bytes = written(content);
  return [id, unsigned(bytes.length), bytes];
}

function name(text: string): Code {
  return [text.length, Array.from(text, (letter) => letter.charCodeAt(0))];
}

/** LEB128, the format's variable-length numbers. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** The same for a number that may be negative: the sign is the highest bit of the last seven. */
function signed(value: number): number[] {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
