/** Reads one turn by itself. A caller with a long upload may pause between turns; what follows works on the readings. */
import { isSpeech, type Action } from "../domain/action.ts";
import type { ErrorSignature, TurnRole } from "../domain/analysis.ts";
import type { Turn } from "../domain/interaction.ts";
import type { QueryWords } from "./actions/query-words.ts";
import { findError } from "./errors.ts";
import { parseDecision } from "./parse-actions.ts";
import { readClaims, type Claims } from "./read-claims.ts";
import { valuesIn } from "./result-values.ts";
import { shapeOf } from "./shape.ts";

export interface TurnReading {
  readonly index: number;
  readonly turn: number | string;
  readonly speaker: string | null;
  readonly role: TurnRole;
  /** The decision without its speaker. */
  readonly body: string;
  readonly actions: readonly Action[];
  /** What the agent saw before it decided, cut. */
  readonly before: string;
  /** What came of it, cut; null: not told. */
  readonly result: string | null;
  /** The result without values; empty when not told. */
  readonly shape: string;
  readonly error: ErrorSignature | null;
  /** Values that the result holds, each with the key it stands under, where it has one. */
  readonly values: ReadonlyMap<string, string | null>;
  readonly claims: Claims;
}

const RESULT_LIMIT = 64_000;
const NO_VALUES: ReadonlyMap<string, string | null> = new Map();

/**
 * Reads the turn at `index`. Turns count in the order of the upload: callers' numbers repeat, run backwards or overflow,
 * and an upload is written in the order in which it happened, so the number is kept as a label and never sorted by.
 */
export function readTurn(turns: readonly Turn[], index: number, query: QueryWords): TurnReading {
  const turn = turns[index];
  if (turn === undefined) throw new RangeError(`no turn ${index}`);
  const decision = parseDecision(turn.decision, query);
  const role = roleOf(decision.body, decision.speaker, decision.actions);
  const told = role === "report" ? decision.body : resultOf(turns, index, decision.body);
  const result = told === null || told.trim() === "" ? null : told.slice(0, RESULT_LIMIT);
  return {
    index,
    turn: typeof turn.turn === "bigint" ? turn.turn.toString() : turn.turn,
    speaker: decision.speaker,
    role,
    body: decision.body,
    actions: role === "report" ? [] : decision.actions,
    before: turn.inputs.slice(0, RESULT_LIMIT),
    result,
    shape: result === null ? "" : shapeOf(result),
    // A person's reply may say "cannot" without anything having gone wrong.
    error: result === null || role === "speak" ? null : findError(result),
    values: result === null || role === "report" ? NO_VALUES : valuesIn(result),
    claims: readClaims(decision.body, result),
  };
}

/** Words with which a machine's report starts; in a multi-agent log it stands where a decision would. */
const REPORT =
  /^(?:exit ?code|traceback \(|(?:code |command |tool )?output:|stdout:|stderr:|observation:|execution (?:result|output))/i;
const MACHINE = /(?:terminal|executor|environment|interpreter|console|sandbox|runtime)$/i;

function roleOf(body: string, speaker: string | null, actions: readonly Action[]): TurnRole {
  if (body === "") return "empty";
  if (REPORT.test(body) || (speaker !== null && MACHINE.test(speaker))) return "report";
  return actions.every(isSpeech) ? "speak" : "act";
}

/**
 * The result as given; else what the next turn saw or, in a multi-agent log, what the machine reported next. A next
 * input that only repeats the decision tells nothing.
 */
function resultOf(turns: readonly Turn[], index: number, body: string): string | null {
  const result = turns[index]?.result ?? null;
  if (result !== null) return result;
  const next = turns[index + 1];
  if (next === undefined) return null;
  const report = next.decision.replace(/^\s{0,9}\[([A-Za-z][\w .>()-]{0,80})\]\s+/, "").trimStart();
  if (REPORT.test(report)) return report;
  const seen = next.inputs.trim();
  const echo = body.slice(0, 80);
  return seen === "" || seen === turns[index]?.inputs.trim() || seen.slice(0, 400).includes(echo)
    ? null
    : seen;
}
