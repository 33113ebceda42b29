/**
 * Signs that a turn is where a failed run went wrong. Each is a number from 0 to 1 that can be checked by reading the
 * turn; mistake.ts weighs them. They speak of how agents fail anywhere (inventing data, acting and getting an error,
 * leaving the question), never of what a task is about.
 */
import { isSpeech } from "../domain/action.ts";
import type { Loop, Outcome } from "../domain/analysis.ts";
import { contentWords, stem } from "../domain/vocabulary.ts";
import type { QueryWords } from "./actions/query-words.ts";
import { numbersIn } from "./read-claims.ts";
import type { TurnReading } from "./read-turn.ts";
import { isFailure } from "./recovery.ts";

export const SIGNS = [
  "offQuestion",
  "actsAtOnce",
  "acts",
  "firstError",
  "newNumbers",
  "reportsWork",
  "saysCannot",
  "assumes",
  "answersReport",
  "late",
  "last",
  "outOfTurns",
  "closes",
  "startsLoop",
] as const;
export type Sign = (typeof SIGNS)[number];
export type Signs = Readonly<Record<Sign, number>>;

const READ_LIMIT = 4_000;
const FINISHED = /\b(?:terminate|done|finished?|complete[d]?|submit|final answer|stop)\b/i;

/** The signs of every turn that could be blamed, in order; a machine's report and a blank turn cannot. */
export function readSigns(
  readings: readonly TurnReading[],
  outcomes: readonly Outcome[],
  loops: readonly Loop[],
  query: QueryWords,
): { reading: TurnReading; signs: Signs }[] {
  const candidates = readings.filter((reading) => reading.role === "act" || reading.role === "speak");
  const loopStarts = new Set(loops.map((loop) => loop.from));
  const seenNumbers = new Set(numbersIn(query.text));
  const finished = FINISHED.test(readings.at(-1)?.body.slice(-200) ?? "");
  let errorSeen = false;
  return candidates.map((reading, rank) => {
    const { claims } = reading;
    const acts = reading.actions.some((action) => action.form !== "sentence" && !isSpeech(action));
    const failed = isFailure(outcomes[reading.index]);
    const first = reading.index === 0;
    const talks = !acts && !first;
    const newNumbers = claims.figures.filter((figure) => !seenNumbers.has(figure)).length;
    const signs: Signs = {
      offQuestion: first ? offQuestion(reading.body.slice(0, READ_LIMIT), query) : 0,
      actsAtOnce: first && reading.result !== null && readings[1]?.role === "report" ? 1 : 0,
      acts: acts ? 1 : 0,
      firstError: failed && !errorSeen ? 1 : 0,
      newNumbers: talks ? Math.min(newNumbers, 6) / 6 : 0,
      reportsWork: talks && claims.reportsWork ? 1 : 0,
      saysCannot: first ? 0 : Math.min(claims.cannot, 3) / 3,
      assumes: Math.min(claims.assumes, 3) / 3,
      answersReport: readings[reading.index - 1]?.role === "report" ? 1 : 0,
      late: candidates.length > 1 ? rank / (candidates.length - 1) : 0,
      last: rank === candidates.length - 1 ? 1 : 0,
      // In a group chat the last speakers wasted what was left; a single agent's last step is only its last.
      outOfTurns: !finished && reading.speaker !== null && reading.index >= readings.length - 2 ? 1 : 0,
      closes: isFarewell(reading) ? 1 : 0,
      startsLoop: loopStarts.has(reading.index) ? 1 : 0,
    };
    if (failed) errorSeen = true;
    for (const figure of claims.shown) seenNumbers.add(figure);
    return { reading, signs };
  });
}

/** Nothing goes wrong in a closing word that was not wrong before. */
function isFarewell(reading: TurnReading): boolean {
  return reading.body.length < 60 && FINISHED.test(reading.body);
}

/** How little of the question a first, long briefing repeats; a short first step is not expected to repeat it. */
function offQuestion(body: string, query: QueryWords): number {
  const words = new Set(contentWords(body).map(stem));
  const asked = [...query.stems].filter((word) => word.length >= 3);
  if (words.size < 30 || asked.length === 0) return 0;
  return 1 - asked.filter((word) => words.has(word)).length / asked.length;
}
