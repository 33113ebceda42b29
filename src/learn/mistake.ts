/**
 * Names the turn where a failed run most likely went wrong: a weighted sum of signs for each turn, made into
 * probabilities over the run's turns (a conditional logit). The weights were fitted by bench/mistake-turn.ts, which
 * prints them and their cross-validated accuracy; `startsLoop` is set by hand, as the fitted runs hold no loops.
 */
import type { Loop, Mistake, Outcome } from "../domain/analysis.ts";
import type { QueryWords } from "./actions/query-words.ts";
import { readSigns, SIGNS, type Sign, type Signs } from "./mistake-signs.ts";
import type { TurnReading } from "./read-turn.ts";

export type Weights = Readonly<Record<Sign, number>>;

export const WEIGHTS: Weights = {
  offQuestion: 2,
  actsAtOnce: 1.1,
  acts: 1.5,
  firstError: 0.8,
  newNumbers: 1.6,
  reportsWork: 1.3,
  saysCannot: 1.3,
  assumes: 0.8,
  // A turn that reads a machine's answer has something to go on.
  answersReport: -0.8,
  late: -0.4,
  last: -0.9,
  outOfTurns: 1.1,
  closes: -0.7,
  startsLoop: 0.8,
};

/** How much a turn gains from likely neighbours: a reader who is shown the turn beside the mistake still finds it. */
const NEIGHBOURS = 0.3;
const NEAR = 2;

const REASONS: Readonly<Partial<Record<Sign, string>>> = {
  offQuestion: "its briefing hardly speaks of what was asked",
  actsAtOnce: "it acted before anything was checked",
  acts: "it acted",
  firstError: "it was the first step to fail",
  newNumbers: "it states figures that nothing before it showed",
  reportsWork: "it reports findings without having acted",
  saysCannot: "it says that something cannot be done",
  assumes: "it works with assumed or made-up data",
  outOfTurns: "the run ended right after it without a conclusion",
  startsLoop: "it began a loop",
};
const REASON_LIMIT = 3;

export function findMistake(
  readings: readonly TurnReading[],
  outcomes: readonly Outcome[],
  loops: readonly Loop[],
  query: QueryWords,
): Mistake | null {
  const candidates = readSigns(readings, outcomes, loops, query);
  const chances = weigh(
    candidates.map((candidate) => candidate.signs),
    WEIGHTS,
  );
  const best = choose(
    chances,
    candidates.map((candidate) => candidate.reading.index),
  );
  const chosen = candidates[best];
  if (chosen === undefined) return null;
  const { index, turn } = chosen.reading;
  return {
    index,
    turn,
    reasons: explain(chosen.signs),
    confidence: Math.round((chances[best] ?? 0) * 1_000) / 1_000,
  };
}

/** The probability of each candidate. */
export function weigh(candidates: readonly Signs[], weights: Weights): number[] {
  const scores = candidates.map((signs) => SIGNS.reduce((sum, sign) => sum + signs[sign] * weights[sign], 0));
  const highest = scores.reduce((a, b) => Math.max(a, b), -Infinity);
  const raised = scores.map((score) => Math.exp(score - highest));
  const total = raised.reduce((a, b) => a + b, 0);
  return raised.map((value) => value / total);
}

/** The position of the best candidate: its own chance and a part of its neighbours'. The earlier wins a tie. */
export function choose(
  chances: readonly number[],
  indexes: readonly number[],
  neighbours = NEIGHBOURS,
): number {
  let best = -1;
  let highest = -Infinity;
  for (const [at, chance] of chances.entries()) {
    let near = 0;
    for (let other = Math.max(0, at - NEAR); other <= at + NEAR && other < chances.length; other += 1) {
      const distance = Math.abs((indexes[other] ?? 0) - (indexes[at] ?? 0));
      if (distance <= NEAR) near += chances[other] ?? 0;
    }
    const value = chance + neighbours * near;
    if (value > highest + 1e-12) {
      highest = value;
      best = at;
    }
  }
  return best;
}

function explain(signs: Signs): string[] {
  return SIGNS.map((sign) => ({ reason: REASONS[sign], weight: signs[sign] * WEIGHTS[sign] }))
    .filter(
      (item): item is { reason: string; weight: number } => item.reason !== undefined && item.weight > 0.2,
    )
    .sort((a, b) => b.weight - a.weight)
    .slice(0, REASON_LIMIT)
    .map((item) => item.reason);
}
