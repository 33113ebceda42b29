import { contentId } from "../../src/domain/ids.ts";
import type { Insight } from "../../src/domain/insight.ts";
import { intentOf, shapeFrom } from "../../src/domain/intent.ts";
import type { Learned } from "../../src/ports/store.ts";

export interface LearnedOptions {
  readonly success?: boolean | null;
  /** The one step of the one insight that this teaches. */
  readonly step?: string;
  readonly shape?: string;
  /** Which of eight directions, each at a right angle to the others, the vectors point to. */
  readonly direction?: number;
  readonly stance?: "for" | "against";
  readonly values?: readonly string[];
  readonly at?: number;
}

/** What a job about `query` might teach: one insight, found under `family:<shape>` and `step:<step>`. */
export function learnedFrom(episodeId: string, query: string, options: LearnedOptions = {}): Learned {
  const {
    success = true,
    step = `do ${query}`,
    direction = 0,
    stance = "for",
    values = [],
    at = 2,
  } = options;
  const intent = intentOf(query);
  const shape = shapeFrom(options.shape ?? query);
  const familyId = shape.shapeId;
  const insight: Insight = {
    insightId: contentId(step),
    kind: "contrast",
    appliesWhen: shape.text,
    topics: [`family:${familyId}`, `step:${step}`],
    structure: { kind: "contrast", step },
  };
  const { insightId } = insight;
  return {
    episode: {
      episodeId,
      intentId: intent.intentId,
      shapeId: shape.shapeId,
      familyId,
      success,
      createdAt: 1,
      interaction: { query, turns: [], success, agentType: null, timestamp: null, metadata: null },
    },
    intent: { ...intent, vector: unitVector(direction) },
    shape: { ...shape, vector: unitVector(direction), words: shape.text.toLowerCase().split(" ") },
    space: "test",
    insights: [insight],
    evidence: (values.length === 0 ? [null] : values).map((value) => ({
      insightId,
      stance,
      value,
      from: 0,
      to: 1,
    })),
    tallies: [{ topic: "steps", key: step }],
    skipped: 0,
    completedAt: at,
    notes: [],
  };
}

export function unitVector(direction: number): Float32Array {
  return Float32Array.from({ length: 8 }, (_, i) => (i === direction ? 1 : 0));
}
