/** An upload is also the outcome of the enhancement that its task began with, if there was one. */
import { intentOf } from "../domain/intent.ts";
import type { Interaction } from "../domain/interaction.ts";
import type { Outcome } from "../ports/ledger.ts";
import type { LearnParts } from "./learn.ts";
import { stripEcho } from "./strip-echo.ts";

export interface Ended {
  readonly jobId: string;
  readonly uploadedAt: number;
  /** As uploaded: a redacted request would have another hash than the one that was asked about. */
  readonly interaction: Interaction;
}

const NOT_KNOWN = "metadata.enhancement_id is not known";

/** Answers what there is to say about it. A job that is run again joins nothing twice. */
export async function joinOutcome(
  { ledger, hashRequest }: Pick<LearnParts, "ledger" | "hashRequest">,
  tenantId: string,
  { jobId, uploadedAt, interaction }: Ended,
): Promise<string[]> {
  const { success, turns, metadata } = interaction;
  const named = metadata?.["enhancement_id"] ?? null;
  if (success === null) return [];
  const outcome: Outcome = {
    score: Number(success),
    turns: turns.length === 0 ? null : turns.length,
    at: uploadedAt,
    source: jobId,
    note: null,
  };
  const isKnown = typeof named === "string" && (await ledger.tell(tenantId, named, outcome)) !== "unknown";
  if (isKnown) return [];
  const { intentId } = intentOf(stripEcho({ ...interaction, turns: [] }).query);
  await ledger.infer(tenantId, hashRequest(intentId), outcome);
  return named === null ? [] : [NOT_KNOWN];
}
