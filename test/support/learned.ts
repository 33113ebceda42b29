import { intentOf } from "../../src/domain/intent.ts";
import type { Insight } from "../../src/domain/insight.ts";
import { contentId } from "../../src/domain/ids.ts";
import type { Learned } from "../../src/ports/store.ts";

/** What a job about `query` might teach: one workflow, seen from the first to the last turn. */
export function learnedFrom(
  episodeId: string,
  query: string,
  {
    success = true,
    steps = [`do ${query}`],
    direction = 0,
  }: { success?: boolean | null; steps?: string[]; direction?: number } = {},
): Learned {
  const intent = intentOf(query);
  const insight: Insight = {
    insightId: contentId(...steps),
    kind: "workflow",
    appliesWhen: intent.text,
    structure: { steps },
  };
  return {
    episode: {
      episodeId,
      intent,
      interaction: { query, turns: [], success, agentType: null, timestamp: null, metadata: null },
      createdAt: 1,
    },
    vector: { space: "test", values: unitVector(direction) },
    words: intent.text.toLowerCase().split(" "),
    insights: [insight],
    evidence: [{ insightId: insight.insightId, episodeId, stance: "for", from: 0, to: 0 }],
    skipped: 0,
    completedAt: 2,
    notes: [],
  };
}

/** Eight directions, each at a right angle to the others. */
export function unitVector(direction: number): Float32Array {
  return Float32Array.from({ length: 8 }, (_, i) => (i === direction ? 1 : 0));
}
