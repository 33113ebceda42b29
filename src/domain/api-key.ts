import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const PREFIX = "wst_";
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** A literal key shorter than this can be guessed; it is taken, with a warning. */
const SHORTEST_SAFE_KEY = 20;

/**
 * `wst_`, 190 bits of randomness, and a checksum: a mistyped key is recognised without asking the database, and a
 * scanner recognises a key that was committed by mistake.
 */
export function newKey(): string {
  let body = "";
  for (let i = 0; i < RANDOM_LENGTH; i++) body += BASE62.charAt(randomInt(BASE62.length));
  return PREFIX + body + checksum(body);
}

/** false only for what claims to be one of our keys and cannot be. Literal keys of the operator's own are not judged. */
export function couldBeKey(text: string): boolean {
  if (!text.startsWith(PREFIX) || text.length !== PREFIX.length + RANDOM_LENGTH + CHECKSUM_LENGTH)
    return true;
  const body = text.slice(PREFIX.length, -CHECKSUM_LENGTH);
  return checksum(body) === text.slice(-CHECKSUM_LENGTH);
}

export function isGuessable(literal: string): boolean {
  return literal.length < SHORTEST_SAFE_KEY;
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = BASE62.charAt(rest % BASE62.length) + text;
    rest = Math.floor(rest / BASE62.length);
  }
  return text;
}
