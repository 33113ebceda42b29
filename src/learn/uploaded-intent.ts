/** Under which intent an upload that is still queued will be stored: the same steps as learning takes to get there. */
import { decodeInteraction } from "../domain/interaction.ts";
import { type Intent, intentOf } from "../domain/intent.ts";
import type { PendingUpload } from "../ports/queue.ts";
import type { LearnParts } from "./learn.ts";
import { redact } from "./redact.ts";
import { stripEcho } from "./strip-echo.ts";

/** null where the payload cannot be read: nobody can tell what it means. */
export function createUploadedIntent({ vault, keys }: Pick<LearnParts, "vault" | "keys">) {
  return async (tenantId: string, { jobId, payload }: PendingUpload): Promise<Intent | null> => {
    const tenant = await keys.findTenant(tenantId);
    const personalData = tenant?.settings.redactPersonalData ?? true;
    try {
      const uploaded = decodeInteraction(vault.openPayload(jobId, payload));
      const redacted = redact({ ...uploaded, turns: [], metadata: null }, { personalData });
      return intentOf(stripEcho(redacted.interaction).query);
    } catch {
      return null;
    }
  };
}
