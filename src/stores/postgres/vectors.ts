/** Vectors as pgvector sends and receives them: dimensions, two unused bytes, then big-endian floats. Exact, and small. */

const HEAD = 4;

export function bytesOf(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(HEAD + vector.byteLength);
  bytes.writeUInt16BE(vector.length, 0);
  bytes.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), HEAD);
  bytes.subarray(HEAD).swap32();
  return bytes;
}

/** Of what `vector_send(vector)` answers. */
export function vectorOf(bytes: Buffer): Float32Array {
  const floats = Buffer.from(bytes.subarray(HEAD)).swap32();
  // pooled memory may be unaligned, so the floats are copied out
  return new Float32Array(new Uint8Array(floats).buffer);
}
