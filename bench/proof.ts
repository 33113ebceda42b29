/**
 * Does the proof prove? Simulated tenants with a known truth; prints the tables of docs/proof.md and fails when a
 * promise is not kept. `npx tsx bench/proof.ts` takes a quarter of an hour; `--quick`, ten seconds: it has fewer tenants,
 * and asks of the mean of the rows what the long run asks of each.
 */
import {
  cells,
  comparison,
  type Honesty,
  honesty,
  restoration,
  retirement,
  turns,
  width,
} from "./proof/figures.ts";
import type { World } from "./proof/world.ts";

const quick = process.argv.includes("--quick");
const tenants = quick ? 30 : 1_000;
const harmed = quick ? 60 : 4_000;
const last = quick ? 3_000 : 20_000;

/** At least `share` where that is more than a half, and else at most. */
interface Promised {
  readonly share: number;
  readonly found: number[];
}

const promises = new Map<string, Promised>();

function promise(what: string, share: number, found: number): void {
  const made = promises.get(what) ?? { share, found: [] };
  made.found.push(found);
  promises.set(what, made);
}

/** The worst row; in a quick run, whose rows are too short for that, the mean of the rows. */
function decisive({ share, found }: Promised): number {
  if (quick) return found.reduce((sum, value) => sum + value, 0) / found.length;
  return share > 0.5 ? Math.min(...found) : Math.max(...found);
}

function isKept(made: Promised): boolean {
  return made.share > 0.5 ? decisive(made) >= made.share : decisive(made) <= made.share;
}

function head(title: string, ...columns: readonly string[]): void {
  console.log(`\n${title}\n`);
  row(...columns);
  row(...columns.map(() => "---"));
}

function row(...columns: readonly (string | number)[]): void {
  console.log(`| ${columns.join(" | ")} |`);
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10}%`;
}

function points(share: number): string {
  return (share * 100).toFixed(1);
}

function rateOf({ rate, steps }: World): string {
  const name = typeof rate === "number" ? percent(rate) : rate.map(percent).join(" to ");
  return steps === undefined ? name : `${name}, scores in ${steps} steps`;
}

function holdoutOf({ holdout, holdoutLater }: World): string {
  return holdoutLater === undefined ? percent(holdout) : `${percent(holdout)}, then ${percent(holdoutLater)}`;
}

function honest({ world, covered, helps, harms, retired }: Honesty): void {
  row(
    holdoutOf(world),
    rateOf(world),
    world.effect * 100,
    percent(covered),
    percent(helps),
    percent(harms),
    percent(retired),
  );
  promise("intervals right at every look", 0.95, covered);
  if (world.effect >= 0) promise("harmless, yet retired", 0.02, retired);
  if (world.effect === 0) promise("no effect, yet reported", 0.05, helps + harms);
}

head(
  `Every look of 100 from 10 to ${last} outcomes, ${tenants} tenants a row`,
  "held out",
  "rate",
  "effect, points",
  "all intervals right",
  "ever 'helps'",
  "ever 'harms'",
  "ever retired",
);
const awkward: readonly World[] = [
  { rate: [0.3, 0.7], effect: -0.1, holdout: 0.1 },
  { rate: [0.3, 0.7], effect: 0, holdout: 0.1 },
  { rate: [0.7, 0.3], effect: 0, holdout: 0.1, holdoutLater: 0.5 },
  { rate: 0.02, effect: 0, holdout: 0.1 },
  { rate: 0.98, effect: 0, holdout: 0.1 },
  { rate: 0.5, effect: 0.05, holdout: 0.1, steps: 4 },
];
for (const [index, world] of [...cells(quick ? [0] : [-0.25, -0.1, 0, 0.02, 0.1]), ...awkward].entries()) {
  honest(honesty(world, tenants, last, 1_000 + index));
}

head(
  `Harm retired, 100 looks, ${harmed} tenants a row; z test: 5%, power 90%`,
  "held out",
  "rate",
  "effect, points",
  "z test two-sided",
  "one-sided",
  "retired by 2x two-sided",
  "by 2x one-sided",
  "median, x two-sided",
);
for (const [index, { rate, effect, holdout }] of cells([-0.1, -0.25]).entries()) {
  const found = retirement(rate, effect, holdout, harmed, 2_000 + index);
  row(
    percent(holdout),
    percent(rate),
    effect * 100,
    found.twoSided,
    found.oneSided,
    percent(found.byTwiceTwoSided),
    percent(found.byTwiceOneSided),
    found.median.toFixed(2),
  );
  promise("harmful, retired by twice the z test's outcomes", 0.9, found.byTwiceTwoSided);
}

head("Width of the interval: rates 50% and 60%", "held out", "outcomes", "plus or minus", "a single look's");
for (const holdout of [0.1, 0.5]) {
  for (const outcomes of [20, 100, 300, 1_000, 3_000, 10_000, 100_000]) {
    const found = width(outcomes, holdout);
    row(percent(holdout), outcomes, points(found.half), points(found.singleLook));
  }
}

if (!quick) {
  head(
    `Ways to decide on harm, 12 harmful and 6 harmless worlds, ${tenants} tenants each`,
    "way",
    "retired, worst world",
    "mean",
    "wrongly retired, worst world",
  );
  for (const found of comparison(tenants, 3_000)) {
    row(found.name, percent(found.leastPower), percent(found.meanPower), percent(found.mostFalse));
  }
}

head(
  "A retired insight comes back: shown in 5% of the tasks it fits, rate 50%",
  "true effect, points",
  "back by 5,000 tasks",
  "by 20,000",
  "median of these",
);
for (const [index, effect] of [-0.1, 0, 0.05, 0.1, 0.25].entries()) {
  const found = restoration(effect, quick ? 5 : 400, 4_000 + index);
  row(effect * 100, percent(found.by5000), percent(found.by20000), found.median);
}

head(
  "Turns saved among successes: truth 1 of 10 turns, at most 30",
  "held out",
  "all intervals right",
  "plus or minus at 1,000",
  "at 10,000",
);
for (const [index, holdout] of [0.1, 0.5].entries()) {
  const found = turns(holdout, quick ? tenants : 400, 5_000 + index);
  row(percent(holdout), percent(found.covered), found.half1000.toFixed(2), found.half10000.toFixed(2));
  promise("turns saved: intervals right at every look", 0.95, found.covered);
}

head("Promises", "promise", "share", quick ? "mean of the rows" : "worst row", "kept");
for (const [what, made] of promises) {
  const limit = `${made.share > 0.5 ? "at least" : "at most"} ${percent(made.share)}`;
  row(what, limit, percent(decisive(made)), isKept(made) ? "yes" : "NO");
}
process.exitCode = [...promises.values()].every(isKept) ? 0 : 1;
