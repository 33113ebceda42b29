import { createHash, randomFillSync } from "node:crypto";

const pool = Buffer.allocUnsafeSlow(8_192);
let unused = 0;

/** Random bytes from a pool: asking the system for each few of them would cost more than all else about an id. */
export function randomHex(bytes: number): string {
  if (unused < bytes) {
    randomFillSync(pool);
    unused = pool.length;
  }
  unused -= bytes;
  return pool.toString("hex", unused, unused + bytes);
}

let lastTime = 0;
let sequence = 0;

/**
 * A UUIDv7: 48 bits of time, 12 bits that count within a millisecond, then randomness. Ids of one process sort in the
 * order in which they were made, so rows of one tenant stay together on disk and jobs in line, and any process can
 * make them without asking a database.
 */
export function newId(now: number = Date.now()): string {
  const time = Math.max(0, Math.trunc(now));
  sequence = time === lastTime ? (sequence + 1) & 0xfff : 0;
  lastTime = time;
  const hex = time.toString(16).padStart(12, "0").slice(-12);
  const random = randomHex(8);
  const variant = ((Number.parseInt(random.charAt(0), 16) & 0x3) | 0x8).toString(16);
  const counted = sequence.toString(16).padStart(3, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${counted}-${variant}${random.slice(1, 4)}-${random.slice(4, 16)}`;
}

/** A name for content: the same parts give the same id, on every machine. */
export function contentId(...parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex").slice(0, 32);
}
