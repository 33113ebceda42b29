/** Receives a request body within its limits of size and time. */
import type { IncomingMessage } from "node:http";
import { BodyRefused, detail, json } from "./exchange.ts";
import type { RequestLimits } from "./reading/limits.ts";
import { bodyTooLarge } from "./reading/read-body.ts";

/** Without a byte for so long, the sender is taken to be gone. */
const SILENCE_MS = 4_000;
/** From then on a body must have come at least at this rate: one byte a second is an attack, not a slow line. */
const GRACE_MS = 8_000;
const LEAST_BYTES_A_SECOND = 1_024;

export async function receiveBody(request: IncomingMessage, limits: RequestLimits): Promise<Buffer> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > limits.bodyBytes) throw tooLarge(limits);
  if (announced === 0 && request.headers["transfer-encoding"] === undefined) return Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const begun = performance.now();
    const silence = setTimeout(() => end(() => reject(tooSlow())), SILENCE_MS);
    const end = (settle: () => void): void => {
      clearTimeout(silence);
      request.off("data", take).off("end", finish).off("error", cut).off("close", cut);
      settle();
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      silence.refresh();
      const elapsed = performance.now() - begun;
      if (size > limits.bodyBytes) end(() => reject(tooLarge(limits)));
      else if (elapsed > GRACE_MS && size < (elapsed / 1_000) * LEAST_BYTES_A_SECOND)
        end(() => reject(tooSlow()));
    };
    const finish = (): void =>
      end(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    const cut = (): void => end(() => reject(new BodyRefused(detail(400, "The request body was cut off"))));
    request.on("data", take).on("end", finish).on("error", cut).on("close", cut);
  });
}

function tooLarge(limits: RequestLimits): BodyRefused {
  const { status, body } = bodyTooLarge(limits);
  return new BodyRefused(json(status, body));
}

function tooSlow(): BodyRefused {
  return new BodyRefused(detail(408, "The request body took too long to arrive"));
}
