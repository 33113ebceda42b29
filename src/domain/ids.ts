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

/**
 * A UUIDv7: 48 bits of time, then randomness. Ids sort by the time they were made, so rows of one tenant stay
 * together on disk, and any process can make them without asking a database.
 */
export function newId(now: number = Date.now()): string {
  const random = randomHex(10);
  const time = Math.max(0, Math.trunc(now)).toString(16).padStart(12, "0").slice(-12);
  const variant = ((Number.parseInt(random.charAt(3), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}

/** A name for content: the same parts give the same id, on every machine. */
export function contentId(...parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex").slice(0, 32);
}
