/**
 * How often the turn that is named as the mistake is the one a person marked.
 *
 *   npx tsx bench/mistake-turn.ts --data DIR [--fit]
 *
 * DIR holds (itself, or under trajectories/ or data/trajectories/) NAME.jsonl uploads with NAME.labels.jsonl beside them;
 * files whose labels have a `mistake_turn` are scored. Prints the shipped weights' figures, and what weights fitted
 * without the scored runs would reach (5-fold, leave-one-out); with --fit also the weights fitted on all runs.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Turn } from "../src/domain/interaction.ts";
import { readQuery } from "../src/learn/actions/query-words.ts";
import { findLoops } from "../src/learn/loops.ts";
import { readSigns, SIGNS, type Sign, type Signs } from "../src/learn/mistake-signs.ts";
import { choose, weigh, WEIGHTS, type Weights } from "../src/learn/mistake.ts";
import { judgeProgress } from "../src/learn/progress.ts";
import { readTurn } from "../src/learn/read-turn.ts";

interface Run {
  /** The candidates' signs and their positions in the upload. */
  readonly signs: readonly Signs[];
  readonly indexes: readonly number[];
  readonly turns: readonly number[];
  readonly marked: number;
  /** The plain rule to beat: the turn before the first text that speaks of an error. */
  readonly baseline: number;
}

const PENALTY = 0.5;
const RATE = 0.04;
const ROUNDS = 300;

const data = argument("data") ?? process.env["WHETSTONE_EVAL_DATA"];
if (data === undefined) {
  console.error("usage: tsx bench/mistake-turn.ts --data DIR [--fit]");
  process.exitCode = 2;
} else {
  for (const [name, runs] of loadRuns(data)) report(name, runs);
}

function argument(name: string): string | undefined {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
}

function report(name: string, runs: readonly Run[]): void {
  console.log(`${name}: ${runs.length} failed runs with a marked mistake`);
  print(
    "turn before first error text",
    runs,
    runs.map((run) => run.baseline),
  );
  print(
    "shipped weights",
    runs,
    runs.map((run) => predict(run, WEIGHTS)),
  );
  print("5-fold, refitted", runs, crossValidate(runs, 5));
  print("leave-one-out, refitted", runs, crossValidate(runs, runs.length));
  if (!process.argv.includes("--fit")) return;
  const weights = fit(runs);
  print(
    "fitted on all (training figure)",
    runs,
    runs.map((run) => predict(run, weights)),
  );
  for (const sign of SIGNS) console.log(`    ${sign}: ${weights[sign].toFixed(2)}`);
}

function print(what: string, runs: readonly Run[], predicted: readonly number[]): void {
  const share = (within: number): string => {
    const hits = runs.filter((run, at) => Math.abs((predicted[at] ?? -99) - run.marked) <= within).length;
    return `${((100 * hits) / runs.length).toFixed(1)}%`;
  };
  console.log(`  ${what.padEnd(34)} exact ${share(0)}  within 2 ${share(2)}`);
}

function predict(run: Run, weights: Weights): number {
  return run.turns[choose(weigh(run.signs, weights), run.indexes)] ?? -99;
}

function crossValidate(runs: readonly Run[], folds: number): number[] {
  const predicted: number[] = [];
  for (let fold = 0; fold < folds; fold += 1) {
    const weights = fit(runs.filter((_, at) => at % folds !== fold));
    for (const [at, run] of runs.entries()) if (at % folds === fold) predicted[at] = predict(run, weights);
  }
  return predicted;
}

/** Conditional logit with a quadratic penalty, by plain gradient ascent: small enough to need nothing better. */
function fit(runs: readonly Run[]): Weights {
  const weights = SIGNS.map(() => 0);
  const cases = runs.map((run) => ({
    rows: run.signs.map((signs) => SIGNS.map((sign) => signs[sign])),
    marked: run.turns.indexOf(run.marked),
  }));
  for (let round = 0; round < ROUNDS; round += 1) {
    const slope = weights.map((weight) => -2 * PENALTY * weight);
    for (const { rows, marked } of cases) {
      if (marked < 0) continue;
      const raised = rows.map((row) =>
        Math.exp(row.reduce((sum, sign, at) => sum + sign * (weights[at] ?? 0), 0)),
      );
      const total = raised.reduce((a, b) => a + b, 0);
      for (const [at, row] of rows.entries()) {
        const surplus = (at === marked ? 1 : 0) - (raised[at] ?? 0) / total;
        for (let sign = 0; sign < row.length; sign += 1)
          slope[sign] = (slope[sign] ?? 0) + surplus * (row[sign] ?? 0);
      }
    }
    for (let sign = 0; sign < weights.length; sign += 1)
      weights[sign] = (weights[sign] ?? 0) + RATE * (slope[sign] ?? 0);
  }
  const fitted: Record<Sign, number> = { ...WEIGHTS };
  for (const [at, sign] of SIGNS.entries()) fitted[sign] = weights[at] ?? 0;
  return fitted;
}

function loadRuns(root: string): Map<string, Run[]> {
  const folder = [root, join(root, "trajectories"), join(root, "data", "trajectories")].find(
    (path) => existsSync(path) && readdirSync(path).some((file) => file.endsWith(".labels.jsonl")),
  );
  const found = new Map<string, Run[]>();
  if (folder === undefined) throw new Error(`no .labels.jsonl under ${root}`);
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".labels.jsonl"))) {
    const labels = readLines(join(folder, file)).map((label) => label["mistake_turn"]);
    if (typeof labels[0] !== "number") continue;
    const uploads = readLines(join(folder, file.replace(".labels.jsonl", ".jsonl")));
    found.set(
      file.replace(".labels.jsonl", ""),
      uploads.map((upload, at) => readRun(upload, Number(labels[at] ?? -1))),
    );
  }
  return found;
}

type Json = Readonly<Record<string, unknown>>;

function readLines(path: string): Json[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line))
    .filter(isObject);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null;
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function readTurns(upload: Json): Turn[] {
  const turns: unknown[] = Array.isArray(upload["turns"]) ? upload["turns"] : [];
  return turns.filter(isObject).map((turn) => ({
    turn: Number(turn["turn"]),
    inputs: text(turn["inputs"]) ?? "",
    decision: text(turn["decision"]) ?? "",
    memory: text(turn["memory"]),
    result: text(turn["result"]),
  }));
}

function readRun(upload: Json, marked: number): Run {
  const query = readQuery(text(upload["query"]) ?? "");
  const turns = readTurns(upload);
  const readings = turns.map((_, index) => readTurn(turns, index, query));
  const { outcomes } = judgeProgress(readings, new Set());
  const candidates = readSigns(readings, outcomes, findLoops(readings), query);
  return {
    signs: candidates.map((candidate) => candidate.signs),
    indexes: candidates.map((candidate) => candidate.reading.index),
    turns: candidates.map((candidate) => Number(candidate.reading.turn)),
    marked,
    baseline: turnBeforeError(turns),
  };
}

function turnBeforeError(turns: readonly Turn[]): number {
  const at = turns.findIndex((turn) =>
    /error|traceback|exception|failed/i.test(`${turn.decision} ${turn.result ?? ""}`),
  );
  return Number(turns[Math.max(0, at - 1)]?.turn ?? -99);
}
