import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";
import { PoisonedJob } from "./errors.ts";
import { randomHex } from "./ids.ts";

const NONCE = 12;
const TAG = 16;

/**
 * Everything that depends on the one secret. Each use has a key of its own, derived from it, so that none of them
 * tells anything about another.
 */
export class Vault {
  readonly #pepper: Buffer;
  readonly #payloads: Buffer;
  readonly #errors: Buffer;
  readonly #idempotency: Buffer;

  constructor(secret: string) {
    const derive = (purpose: string) => Buffer.from(hkdfSync("sha256", secret, "whetstone", purpose, 32));
    this.#pepper = derive("api keys");
    this.#payloads = derive("queued payloads");
    this.#errors = derive("sealed errors");
    this.#idempotency = derive("idempotency keys");
  }

  /** What is stored of an API key. Keys are random, not passwords, so one fast keyed hash is enough. */
  hashKey(key: string): string {
    return createHmac("sha256", this.#pepper).update(key).digest("hex");
  }

  hashForReplay(content: string | Uint8Array): string {
    return createHmac("sha256", this.#idempotency).update(content).digest("hex");
  }

  /** Tells one secret from another without telling it; stored to notice that the secret was exchanged. */
  fingerprint(): string {
    return createHmac("sha256", this.#pepper).update("fingerprint").digest("hex").slice(0, 16);
  }

  /** Encrypts an upload for the queue; it opens only as the payload of the same job. */
  sealPayload(jobId: string, text: string): Uint8Array {
    return encrypt(this.#payloads, jobId, Buffer.from(text));
  }

  openPayload(jobId: string, sealed: Uint8Array): string {
    try {
      return decrypt(this.#payloads, jobId, sealed).toString();
    } catch (cause) {
      throw new PoisonedJob("the payload cannot be decrypted: another secret, or damaged", { cause });
    }
  }

  /** An internal error as a text that only the operator's command line opens; different each time. */
  sealError(jobId: string, text: string): string {
    return encrypt(this.#errors, jobId, Buffer.from(text)).toString("base64url");
  }

  /** Throws where the text was sealed with another secret, for another job, or was changed. */
  openError(jobId: string, sealed: string): string {
    return decrypt(this.#errors, jobId, Buffer.from(sealed, "base64url")).toString();
  }
}

/** The bytes have a buffer of their own, so that they can be handed to another thread without being copied. */
function encrypt(key: Buffer, context: string, plain: Buffer): Buffer {
  const sealed = Buffer.allocUnsafeSlow(NONCE + plain.length + TAG);
  sealed.write(randomHex(NONCE), "hex");
  const cipher = createCipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE)).setAAD(Buffer.from(context));
  cipher.update(plain).copy(sealed, NONCE);
  cipher.final();
  cipher.getAuthTag().copy(sealed, NONCE + plain.length);
  return sealed;
}

function decrypt(key: Buffer, context: string, sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes.length < NONCE + TAG) throw new Error("too short to be sealed");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(-TAG));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]);
}
