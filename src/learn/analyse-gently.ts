/** Analyses an upload of any size without holding its thread for long: heartbeats and other jobs get their turns. */
import type { Analysis } from "../domain/analysis.ts";
import type { Interaction } from "../domain/interaction.ts";
import { readQuery } from "./actions/query-words.ts";
import { type AnalysisOptions, concludeAnalysis } from "./analyse.ts";
import { readTurn, type TurnReading } from "./read-turn.ts";

const SLICE_MS = 20;

export async function analyseGently(interaction: Interaction, options: AnalysisOptions): Promise<Analysis> {
  const query = readQuery(interaction.query);
  const readings: TurnReading[] = [];
  let sliceEnds = performance.now() + SLICE_MS;
  for (const index of interaction.turns.keys()) {
    readings.push(readTurn(interaction.turns, index, query));
    if (performance.now() < sliceEnds) continue;
    await new Promise(setImmediate);
    sliceEnds = performance.now() + SLICE_MS;
  }
  return concludeAnalysis(interaction.success, query, readings, options);
}
