/** The flow of an upload: known already? -> encrypt -> one durable transaction -> acknowledged. */
import { newId } from "../domain/ids.ts";
import { encodeInteraction, type Interaction } from "../domain/interaction.ts";
import type { Vault } from "../domain/vault.ts";
import type { Queue } from "../ports/queue.ts";

export interface AcceptParts {
  readonly queue: Queue;
  readonly vault: Vault;
  readonly clock: () => number;
  /** Called when there is new work, so that a worker need not wait for its next look. */
  readonly wake: () => void;
}

export interface Upload {
  readonly tenantId: string;
  readonly interaction: Interaction;
  /** Made by the caller from the content, so that the same again is known and not taken twice; absent: a new id. */
  readonly jobId?: string;
  /** The caller's Idempotency-Key with the bytes it came with; absent: every upload is a new one. */
  readonly once?: { readonly key: string; readonly body: Uint8Array };
}

export type Accepted =
  | { readonly kind: "accepted" | "replayed"; readonly jobId: string }
  /** The key was used for another body. */
  | { readonly kind: "conflict" }
  /** The first request with this key is still being answered. */
  | { readonly kind: "running" };

export function createAccept({
  queue,
  vault,
  clock,
  wake,
}: AcceptParts): (upload: Upload) => Promise<Accepted> {
  const running = new Set<string>();

  const enqueue = async ({ tenantId, interaction, jobId: given, once }: Upload): Promise<Accepted> => {
    const now = clock();
    const jobId = given ?? newId(now);
    const payload = vault.sealPayload(jobId, encodeInteraction(interaction));
    const idempotency = once && {
      keyHash: vault.hashForReplay(once.key),
      bodyHash: vault.hashForReplay(once.body),
    };
    const accepted = await queue.enqueue(tenantId, {
      jobId,
      payload,
      createdAt: now,
      ...(idempotency && { idempotency }),
    });
    if (accepted.kind === "accepted") wake();
    return accepted;
  };

  return async (upload) => {
    if (upload.once === undefined) return enqueue(upload);
    const call = `${upload.tenantId} ${upload.once.key}`;
    if (running.has(call)) return { kind: "running" };
    running.add(call);
    try {
      return await enqueue(upload);
    } finally {
      running.delete(call);
    }
  };
}
