/** How the examples write a run down, and how a caller would upload it. */
import type { Interaction } from "../src/domain/interaction.ts";

/** What the agent decided, and what came of it. */
export type Turn = readonly [decision: string, result: string];

export interface Run {
  readonly query: string;
  /** null: nobody said how it ended. */
  readonly success: boolean | null;
  readonly turns: readonly Turn[];
}

/** A request that no run was about. */
export interface NewRequest {
  readonly how: "worded like past requests" | "in other words" | "unrelated";
  readonly text: string;
}

export interface Domain {
  readonly title: string;
  /** What the agent is and does, in one sentence. */
  readonly about: string;
  readonly agentType: string;
  /** Oldest first. */
  readonly runs: readonly Run[];
  readonly requests: readonly NewRequest[];
}

export function interactionOf({ query, success, turns }: Run, agentType: string): Interaction {
  return {
    query,
    success,
    agentType,
    timestamp: null,
    metadata: null,
    turns: turns.map(([decision, result], i) => ({
      turn: i + 1,
      inputs: i === 0 ? query : (turns[i - 1]?.[1] ?? ""),
      decision,
      memory: null,
      result,
    })),
  };
}

/** A tool call as most agents write it. */
export function call(tool: string, given: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ tool, arguments: given });
}

export function json(value: unknown): string {
  return JSON.stringify(value);
}
