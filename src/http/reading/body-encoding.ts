import { isUtf8 } from "node:buffer";

/**
 * The body as UTF-8, guessed as Python's json guesses: by byte order mark, else by where the zero bytes
 * are. Null when the bytes are not what the guess says. Lone surrogates become U+FFFD, which keeps the
 * number of characters, and with it every position reported.
 */
export function bodyAsUtf8(bytes: Uint8Array): Buffer | null {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (guessEncoding(body)) {
    case "utf-16-le":
      return fromUtf16(body);
    case "utf-16-be":
      return body.length % 2 === 0 ? fromUtf16(Buffer.from(body).swap16()) : null;
    case "utf-32-le":
      return fromUtf32(body, (at) => body.readUInt32LE(at));
    case "utf-32-be":
      return fromUtf32(body, (at) => body.readUInt32BE(at));
    case "utf-8":
    default:
      return validUtf8(startsWith(body, 0xef, 0xbb, 0xbf) ? body.subarray(3) : body);
  }
}

type Encoding = "utf-8" | "utf-16-le" | "utf-16-be" | "utf-32-le" | "utf-32-be";

function guessEncoding(body: Buffer): Encoding {
  if (startsWith(body, 0x00, 0x00, 0xfe, 0xff)) return "utf-32-be";
  if (startsWith(body, 0xff, 0xfe, 0x00, 0x00)) return "utf-32-le";
  if (startsWith(body, 0xfe, 0xff)) return "utf-16-be";
  if (startsWith(body, 0xff, 0xfe)) return "utf-16-le";
  if (body.length >= 4) {
    if (body[0] === 0) return body[1] === 0 ? "utf-32-be" : "utf-16-be";
    if (body[1] === 0) return body[2] === 0 && body[3] === 0 ? "utf-32-le" : "utf-16-le";
  } else if (body.length === 2) {
    if (body[0] === 0) return "utf-16-be";
    if (body[1] === 0) return "utf-16-le";
  }
  return "utf-8";
}

function startsWith(body: Buffer, ...mark: number[]): boolean {
  return mark.every((byte, index) => body[index] === byte);
}

function validUtf8(body: Buffer): Buffer | null {
  if (isUtf8(body)) return body;
  const repaired = withoutSurrogates(body);
  return isUtf8(repaired) ? repaired : null;
}

/** Python lets surrogates pass in UTF-8, three bytes each; U+FFFD happens to be three bytes long too. */
function withoutSurrogates(body: Buffer): Buffer {
  const repaired = Buffer.from(body);
  for (let at = 0; at < repaired.length - 2; at++) {
    if (repaired[at] !== 0xed || ((repaired[at + 1] ?? 0) & 0xe0) !== 0xa0) continue;
    if (((repaired[at + 2] ?? 0) & 0xc0) !== 0x80) continue;
    repaired[at] = 0xef;
    repaired[at + 1] = 0xbf;
    repaired[at + 2] = 0xbd;
  }
  return repaired;
}

function fromUtf16(body: Buffer): Buffer | null {
  if (body.length % 2 !== 0) return null;
  // Writing UTF-8 turns lone surrogates into U+FFFD.
  return Buffer.from(body.toString("utf16le").replace(/^\ufeff/, ""), "utf8");
}

function fromUtf32(body: Buffer, codePointAt: (at: number) => number): Buffer | null {
  if (body.length % 4 !== 0) return null;
  const utf8 = Buffer.alloc(body.length);
  let end = 0;
  for (let at = 0; at < body.length; at += 4) {
    let code = codePointAt(at);
    if (code > 0x10ffff) return null;
    if (code === 0xfeff && at === 0) continue;
    if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
    if (code < 0x80) {
      utf8[end++] = code;
    } else if (code < 0x800) {
      utf8[end++] = 0xc0 | (code >> 6);
      utf8[end++] = 0x80 | (code & 0x3f);
    } else if (code < 0x10000) {
      utf8[end++] = 0xe0 | (code >> 12);
      utf8[end++] = 0x80 | ((code >> 6) & 0x3f);
      utf8[end++] = 0x80 | (code & 0x3f);
    } else {
      utf8[end++] = 0xf0 | (code >> 18);
      utf8[end++] = 0x80 | ((code >> 12) & 0x3f);
      utf8[end++] = 0x80 | ((code >> 6) & 0x3f);
      utf8[end++] = 0x80 | (code & 0x3f);
    }
  }
  return utf8.subarray(0, end);
}
