import type { Intent } from "./intent.ts";
import type { Interaction } from "./interaction.ts";

/** A stored interaction: redacted, analysed, never rewritten. Its id is the id of the job that brought it. */
export interface Episode {
  readonly episodeId: string;
  readonly intent: Intent;
  readonly interaction: Interaction;
  readonly createdAt: number;
}
