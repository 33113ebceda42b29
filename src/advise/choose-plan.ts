/**
 * The one plan to show. Four things speak for a plan: its requests were worded like this one, what it does sounds like
 * what is asked, the request's words are those of its family, and it does no more than it must.
 */
import { cosine } from "../domain/calibration.ts";
import type { Step, Support } from "../domain/insight.ts";
import { alikeness, keyOf } from "../domain/plan.ts";
import { topics } from "../domain/topics.ts";
import type { CountedInsight } from "../ports/store.ts";
import type { Doing } from "./doing.ts";
import type { Family, Retrieved } from "./retrieve.ts";
import type { FamilyWords } from "./weigh-words.ts";

export interface Plan {
  readonly counted: CountedInsight;
  readonly steps: readonly Step[];
  readonly family: Family;
  /** Over all plans that go the same way. */
  readonly support: Support;
  readonly against: number;
  /** The chance that it is worth showing, from 0 to 1. */
  readonly score: number;
}

export interface Reading {
  /** Of the request's shape. */
  readonly vector: Float32Array;
  /** What each plan does, by insight. */
  readonly doing: ReadonlyMap<string, Doing>;
  /**
   * Where requests of this very shape have only failed so far: the steps that they took. null where one has succeeded, or
   * where too few were seen.
   */
  readonly failedSteps: ReadonlySet<string> | null;
  /** What the request's words say about each family. */
  readonly wording: ReadonlyMap<string, FamilyWords>;
  readonly isEligible: (counted: CountedInsight) => boolean;
  readonly utilityOf: UtilityOf;
}

/** By how much an insight is expected to change the share of successes, from -1 to 1. */
export type UtilityOf = (counted: CountedInsight) => number;

/** Below this chance that the request is of this tenant's field, silence is better: wrong advice costs more than none. */
const LEAST_CHANCE = 0.5;
/** Plans this alike are one plan. */
const SAME_WAY = 0.85;

const WORDING = 0.5;
const DOING = 0.7;
const WORDS = 0.1;
/** For each telling step of a plan: what the request does not call for is not done. */
const EFFORT = 0.1;
/** Runs of the same type of agent are a little more to the point. */
const SAME_AGENT = 0.05;
/** A plan's record moves its place by so much at most. */
const RECORD = 0.3;
/** What the proof says moves it less: ten points of success are worth as much as half a step of effort. */
const WORTH = 0.5;

export function choosePlan({ families, insights, inField }: Retrieved, reading: Reading): Plan | null {
  if (inField < LEAST_CHANCE) return null;
  const byFamily = new Map(families.map((family) => [topics.family(family.familyId), family]));
  const plans = insights
    .filter(reading.isEligible)
    .flatMap((counted) => planOf(counted, byFamily))
    .filter(({ steps }) => !wasTried(steps, reading.failedSteps))
    .map((plan) => ({ ...plan, fit: fitOf(plan, reading) }))
    .sort(
      (a, b) => b.fit - a.fit || b.counted.lastSeenAt - a.counted.lastSeenAt || (idOf(a) < idOf(b) ? -1 : 1),
    );
  const [best] = plans;
  if (best === undefined) return null;
  const sameWay = plans.filter(({ steps }) => alikeness(steps, best.steps) >= SAME_WAY);
  const support = {
    succeeded: sum(sameWay, ({ counted }) => counted.support.succeeded),
    failed: sum(sameWay, ({ counted }) => counted.support.failed),
  };
  return {
    ...best,
    support,
    against: sum(sameWay, ({ counted }) => counted.against),
    score: inField * trust(best.counted),
  };
}

/** The plan that would be shown if it had not been retired; null where another is better anyway. */
export function choosePlanOnTrial(
  retrieved: Retrieved,
  reading: Omit<Reading, "isEligible">,
  onTrial: (counted: CountedInsight) => boolean,
): Plan | null {
  const best = choosePlan(retrieved, {
    ...reading,
    isEligible: (one) => one.status !== "retired" || onTrial(one),
    // what it did before it was retired must not keep it from being tried
    utilityOf: (one) => (onTrial(one) ? 0 : reading.utilityOf(one)),
  });
  return best !== null && onTrial(best.counted) ? best : null;
}

/** A plan of which every step was taken, to no success, is not how it is done. */
function wasTried(steps: readonly Step[], failed: ReadonlySet<string> | null): boolean {
  return failed !== null && steps.every((step) => failed.has(keyOf(step)));
}

function planOf(counted: CountedInsight, byFamily: ReadonlyMap<string, Family>) {
  const { structure } = counted.insight;
  if (structure.kind !== "workflow") return [];
  const family = counted.insight.topics.map((topic) => byFamily.get(topic)).find((one) => one !== undefined);
  return family === undefined ? [] : [{ counted, steps: structure.steps, family }];
}

type Candidate = ReturnType<typeof planOf>[number];

function fitOf({ counted, family }: Candidate, { vector, doing, wording, utilityOf }: Reading): number {
  const done = doing.get(counted.insight.insightId);
  return (
    WORDING * (family.cosine + Number(family.exact)) +
    DOING * cosine(vector, done?.vector) +
    WORDS * (wording.get(family.familyId)?.odds ?? 0) -
    EFFORT * (done?.effort ?? 0) +
    RECORD * trust(counted) +
    SAME_AGENT * (wording.get(family.familyId)?.sameAgent ?? 0) +
    WORTH * utilityOf(counted)
  );
}

/** The expected share of runs that it helps, starting from doubt: one sighting is worth less than ten. */
function trust({ support, against }: CountedInsight): number {
  return (support.succeeded + 1) / (support.succeeded + against + 4);
}

function idOf({ counted }: Candidate): string {
  return counted.insight.insightId;
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
