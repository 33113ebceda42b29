/** The flow from a claimed job to knowledge: open -> redact -> strip our echo -> distil -> embed -> store and complete. */
import { decodeInteraction } from "../domain/interaction.ts";
import type { InsightCounts } from "../domain/insight.ts";
import { intentOf } from "../domain/intent.ts";
import type { Vault } from "../domain/vault.ts";
import { wordsOf } from "../domain/intent-match.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { Keys } from "../ports/keys.ts";
import type { ClaimedJob } from "../ports/queue.ts";
import type { Store } from "../ports/store.ts";
import { distil } from "./distil.ts";
import { redact } from "./redact.ts";
import { stripEcho } from "./strip-echo.ts";

export interface LearnParts {
  readonly store: Store;
  readonly keys: Keys;
  readonly embedder: Embedder;
  readonly vault: Vault;
  readonly clock: () => number;
}

/** null: the job was taken over or deleted meanwhile, and nothing was written. */
export type Learn = (job: ClaimedJob) => Promise<InsightCounts | null>;

export function createLearn({ store, keys, embedder, vault, clock }: LearnParts): Learn {
  return async ({ tenantId, fence, payload }) => {
    const uploaded = decodeInteraction(vault.openPayload(fence.jobId, payload));
    const tenant = await keys.findTenant(tenantId);
    const redacted = redact(uploaded, { personalData: tenant?.settings.redactPersonalData ?? true });
    const interaction = stripEcho(redacted.interaction);
    const intent = intentOf(interaction.query);
    const { insights, evidence, skipped } = distil(fence.jobId, intent, interaction);
    const [values] = await embedder.embed([intent.text], { kind: "document" });
    if (values === undefined) throw new Error("the embedder gave no vector");
    return store.complete(tenantId, fence, {
      episode: { episodeId: fence.jobId, intent, interaction, createdAt: clock() },
      vector: { space: embedder.space, values },
      words: wordsOf(intent.text),
      insights,
      evidence,
      skipped,
      completedAt: clock(),
      notes: [],
    });
  };
}
