/** What a caller uploads: what an agent was asked, what it did turn by turn, and whether it succeeded. */
export interface Interaction {
  readonly query: string;
  readonly turns: readonly Turn[];
  /** null: unknown, which is not the same as failed. */
  readonly success: boolean | null;
  readonly agentType: string | null;
  /** When it happened, ISO 8601 as given by the caller after validation; null: not said. */
  readonly timestamp: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export interface Turn {
  /** The caller's own number; a bigint where it does not fit a double exactly. Not trusted to be unique or ordered. */
  readonly turn: number | bigint;
  /** What the agent saw. */
  readonly inputs: string;
  /** What the agent decided: its output or action. */
  readonly decision: string;
  readonly memory: string | null;
  /** What came of it. */
  readonly result: string | null;
}

/** As text, for storing. Integers too large for JSON numbers travel as strings. */
export function encodeInteraction(interaction: Interaction): string {
  const mayHoldLarge =
    interaction.metadata !== null || interaction.turns.some(({ turn }) => typeof turn === "bigint");
  // asking about every value makes it several times slower, and hardly any upload needs it
  return mayHoldLarge
    ? JSON.stringify(interaction, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value))
    : JSON.stringify(interaction);
}

export function decodeInteraction(text: string): Interaction {
  const { turns, ...rest } = JSON.parse(text) as Omit<Interaction, "turns"> & {
    readonly turns: readonly (Omit<Turn, "turn"> & { readonly turn: number | string })[];
  };
  return {
    ...rest,
    turns: turns.map((turn) => ({
      ...turn,
      turn: typeof turn.turn === "string" ? BigInt(turn.turn) : turn.turn,
    })),
  };
}
