/** What is known about the worth of advice, as a page for people. */
import type { Coverage, OutcomeNote, StoredRuling } from "../ports/ledger.ts";
import type { StepsSaved } from "./steps.ts";
import type { Apart, Judged, JudgedInsight, Uplift } from "./uplift.ts";

export interface Reported {
  readonly uplift: Uplift;
  readonly rulings: readonly StoredRuling[];
  readonly notes: readonly OutcomeNote[];
}

export function reportPage({ uplift, rulings, notes }: Reported): string {
  return [
    section("Does advice help?", overallLines(uplift)),
    section(
      "Week by week (each judged by itself)",
      uplift.byWeek.flatMap((week) => named(day(week.week), week)),
    ),
    section(
      "By type of agent",
      uplift.byAgentType.flatMap((one) =>
        named(one.agentType === "" ? "(type not told)" : one.agentType, one),
      ),
    ),
    section("Insights that help most", best(uplift.byInsight)),
    section("Insights that harm most", worst(uplift.byInsight)),
    section("Coverage", coverageLines(uplift.coverage)),
    section("Retired and restored", rulings.map(rulingLine)),
    section(
      "What callers said",
      notes.map(({ at, score, note }) => `${day(at)}  scored ${score}: ${note}`),
    ),
  ].join("\n\n");
}

function section(title: string, lines: readonly string[]): string {
  return [title, ...(lines.length === 0 ? ["nothing yet"] : lines).map((line) => `  ${line}`)].join("\n");
}

function overallLines({ overall, stepsSaved, costOfHoldingOut: cost }: Uplift): string[] {
  const [lower, upper] = [cost.lower, cost.upper].map(Math.round);
  const isKnown = overall[cost.basis].verdict !== "not known yet";
  const price =
    cost.successesForgone === null || !isKnown
      ? "not known yet"
      : `${Math.round(cost.successesForgone)} successes (between ${lower} and ${upper})`;
  return [
    ...named("success", overall),
    `turns saved among successes: ${turnsInWords(stepsSaved)}`,
    `cost of holding out ${cost.heldOut} tasks so far: ${price}`,
  ];
}

/** Inferred joins stand on a line of their own, and only where there are some. */
function named(name: string, { explicit, inferred }: Apart<Judged>): string[] {
  const lines = [`${name}: ${judgedInWords(explicit)}`];
  if (inferred.shown + inferred.heldOut > 0)
    lines.push(`${name}, by outcomes that were only inferred: ${judgedInWords(inferred)}`);
  return lines;
}

function judgedInWords({ words, shown, heldOut, armsFit }: Judged): string {
  const doubt = armsFit ? "" : "; DOUBTFUL: outcomes are told more often in one arm than in the other";
  return `${words} (${shown} outcomes with, ${heldOut} without${doubt})`;
}

function turnsInWords({ explicit, inferred }: Apart<StepsSaved>): string {
  const { saved, lower, upper, shown, heldOut } =
    explicit.shown > 0 || inferred.shown === 0 ? explicit : inferred;
  if (saved === null || (lower <= 0 && upper >= 0)) return "not known yet";
  return `${saved.toFixed(1)} (between ${lower.toFixed(1)} and ${upper.toFixed(1)}; ${shown} with, ${heldOut} without)`;
}

type Insight = Apart<Judged> & JudgedInsight;

const MOST = 5;

function best(insights: readonly Insight[]): string[] {
  const helping = insights.filter(({ explicit }) => explicit.verdict === "helps");
  const unknown = insights.filter(({ explicit }) => explicit.verdict === "not known yet").length;
  const lines = helping
    .sort((a, b) => b.explicit.lower - a.explicit.lower)
    .slice(0, MOST)
    .map(insightLine);
  return unknown === 0 ? lines : [...lines, `${unknown} others: not known yet`];
}

function worst(insights: readonly Insight[]): string[] {
  return insights
    .filter(({ explicit }) => explicit.verdict === "harms")
    .sort((a, b) => a.explicit.upper - b.explicit.upper)
    .slice(0, MOST)
    .map(insightLine);
}

function insightLine({ insightId, kind, appliesWhen, status, explicit }: Insight): string {
  return `${insightId}  ${kind}, ${status}  [${appliesWhen ?? "forgotten since"}]  ${judgedInWords(explicit)}`;
}

function coverageLines(coverage: readonly Coverage[]): string[] {
  const sum = (of: (one: Coverage) => number) => coverage.reduce((total, one) => total + of(one), 0);
  const all = sum(({ enhancements }) => enhancements);
  if (all === 0) return [];
  const share = (part: number, whole = all) => `${part} (${Math.round((100 * part) / whole)}%)`;
  const arm = (name: Coverage["arm"]) => sum((one) => (one.arm === name ? one.enhancements : 0));
  return [
    `enhancements: ${all}`,
    `advised: ${share(arm("shown"))}`,
    `held out by lot: ${share(arm("held out"))}`,
    `abstained, with nothing to say: ${share(arm("abstained"))}`,
    `outcome told or inferred: ${share(sum(({ outcomes }) => outcomes))}`,
  ];
}

function rulingLine({ at, insightId, decision, why }: StoredRuling): string {
  return `${day(at)}  ${insightId} was ${decision}d: ${why}`;
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
