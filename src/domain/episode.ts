import type { Interaction } from "./interaction.ts";

/** A stored interaction: redacted, analysed, never rewritten. Its id is the id of the job that brought it. */
export interface Episode {
  readonly episodeId: string;
  readonly intentId: string;
  readonly shapeId: string;
  /** The intent cluster: shapes that ask for the same kind of work share one. */
  readonly familyId: string;
  readonly success: boolean | null;
  readonly createdAt: number;
  readonly interaction: Interaction;
}
