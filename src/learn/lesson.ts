/** What the distillers share: what they are given, and how they write down what they find. */
import type { Analysis } from "../domain/analysis.ts";
import { contentId } from "../domain/ids.ts";
import type { Evidence, Insight, InsightStructure, Step } from "../domain/insight.ts";
import type { Shape } from "../domain/intent.ts";
import type { CountedInsight, Tally, TallyCount } from "../ports/store.ts";

/** One episode, read, in its place among what is known already. */
export interface Lesson {
  readonly analysis: Analysis;
  readonly success: boolean | null;
  readonly shape: Shape;
  /** The working steps as a plan. */
  readonly plan: readonly Step[];
  readonly familyId: string;
  /** Insights of the family so far. */
  readonly known: readonly CountedInsight[];
  /** Steps that the family's earlier episodes took, and those episodes themselves. */
  readonly steps: readonly TallyCount[];
  readonly episodes: TallyCount;
}

/** What one episode teaches, gathered. The same structure is one insight, however often it is seen. */
export class Notes {
  readonly insights = new Map<string, Insight>();
  readonly evidence: Evidence[] = [];
  readonly tallies: Tally[] = [];
  skipped = 0;

  /** `identity` is what makes two structures the same; the structure itself where nothing else is said. */
  see(
    insight: Omit<Insight, "insightId" | "kind"> & { readonly identity?: string },
    evidence: Omit<Evidence, "insightId">,
  ): void {
    const { identity, ...rest } = insight;
    const insightId = identify(insight.structure, identity);
    if (!this.insights.has(insightId))
      this.insights.set(insightId, { ...rest, insightId, kind: insight.structure.kind });
    this.evidence.push({ ...evidence, insightId });
  }

  /** Evidence on an insight that is known already. */
  seeAgain(known: Insight, evidence: Omit<Evidence, "insightId">): void {
    this.insights.set(known.insightId, known);
    this.evidence.push({ ...evidence, insightId: known.insightId });
  }
}

export function identify(structure: InsightStructure, identity?: string): string {
  return contentId("insight", structure.kind, identity ?? JSON.stringify(structure));
}

/** Where turns are named by a list, the first and the last. */
export function span(turns: readonly number[]): { from: number; to: number } {
  return { from: Math.min(...turns), to: Math.max(...turns) };
}
