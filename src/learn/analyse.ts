/**
 * Reads one interaction without a model: what was done, what worked, what went wrong and what the run shows about its
 * world. Deterministic, and linear in the size of the upload. For a long upload call `readTurn` for each turn, pausing
 * in between as needed, and then `concludeAnalysis`; `analyse` does both at once.
 */
import type { Analysis, Outcome, TurnAnalysis } from "../domain/analysis.ts";
import type { Interaction } from "../domain/interaction.ts";
import { readQuery, type QueryWords } from "./actions/query-words.ts";
import { collectFacts } from "./facts.ts";
import { findBacktracks, findBursts, findLoops } from "./loops.ts";
import { findMistake } from "./mistake.ts";
import { suggestPreconditions } from "./preconditions.ts";
import { judgeProgress } from "./progress.ts";
import { readTurn, type TurnReading } from "./read-turn.ts";
import { findRecoveries } from "./recovery.ts";
import { keepWorkingSteps } from "./working-steps.ts";

export interface AnalysisOptions {
  /** Result shapes that this tenant's runs have shown to mean "nothing happened" (see `Analysis.noopShapes`). */
  readonly noopShapes?: ReadonlySet<string>;
}

export function analyse(interaction: Interaction, options: AnalysisOptions = {}): Analysis {
  const query = readQuery(interaction.query);
  const readings = interaction.turns.map((_, index) => readTurn(interaction.turns, index, query));
  return concludeAnalysis(interaction.success, query, readings, options);
}

export function concludeAnalysis(
  success: boolean | null,
  query: QueryWords,
  readings: readonly TurnReading[],
  options: AnalysisOptions = {},
): Analysis {
  const { outcomes, useless, shapes } = judgeProgress(readings, options.noopShapes ?? new Set());
  const loops = findLoops(readings);
  const backtracks = findBacktracks(readings);
  const recoveries = findRecoveries(readings, outcomes);
  const facts = collectFacts(readings, outcomes);
  return {
    turns: readings.map((reading, index) =>
      describeTurn(reading, outcomes[index] ?? "unknown", useless[index] ?? null),
    ),
    recoveries,
    loops,
    bursts: findBursts(readings, outcomes),
    backtracks,
    mistake: success === false ? findMistake(readings, outcomes, loops, query) : null,
    workingSteps: keepWorkingSteps(readings, outcomes, loops, backtracks),
    facts,
    preconditions: suggestPreconditions(readings, recoveries, facts),
    noopShapes: shapes,
  };
}

function describeTurn(
  reading: TurnReading,
  outcome: Outcome,
  useless: TurnAnalysis["useless"],
): TurnAnalysis {
  const { index, turn, speaker, role, actions, error } = reading;
  return { index, turn, speaker, role, actions, outcome, error, useless };
}
