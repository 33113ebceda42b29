/** The flow before a task: read -> embed -> retrieve -> choose -> abstain? -> write. */
import type { Compare } from "../compare/compare.ts";
import { newId } from "../domain/ids.ts";
import type { InsightKind, Support } from "../domain/insight.ts";
import { countGaps, gapsBy, spoken } from "../domain/shape.ts";
import { ALL, topics } from "../domain/topics.ts";
import { contentWords, stem } from "../domain/vocabulary.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { CountedInsight, Store } from "../ports/store.ts";
import { chooseMore, isPlace } from "./choose-more.ts";
import { choosePlan, type Plan } from "./choose-plan.ts";
import { createDoingOf } from "./doing.ts";
import { failedSteps } from "./failed-steps.ts";
import { fillPlan } from "./fill-plan.ts";
import { readRequest, type Request } from "./read-request.ts";
import { createRefine } from "./refine.ts";
import { retrieve } from "./retrieve.ts";
import { Stopwatch } from "./stopwatch.ts";
import { weighWords, wordsOfShape } from "./weigh-words.ts";
import { writeBlock, writePlan, writeRemark } from "./write.ts";

export interface AdviseParts {
  readonly store: Store;
  readonly embedder: Embedder;
  readonly compare: Compare;
  readonly clock: () => number;
}

export interface AdviceRequest {
  readonly tenantId: string;
  readonly text: string;
  readonly context: Readonly<Record<string, string>>;
  readonly agentType: string | null;
}

export interface Recommendation {
  readonly id: string;
  readonly kind: InsightKind;
  readonly text: string;
  readonly score: number;
  readonly support: Support;
  /** Jobs it was learned from. */
  readonly sources: readonly string[];
}

export interface Advice {
  readonly enhancementId: string;
  /** The input, followed by the recommendations if there are any. */
  readonly response: string;
  readonly recommendations: readonly Recommendation[];
  /** Why there are none; null where there are some. */
  readonly abstained: string | null;
  readonly heldOut: boolean;
  /** Milliseconds by step. */
  readonly timings: Readonly<Record<string, number>>;
}

export type Advise = (request: AdviceRequest) => Promise<Advice>;

export function createAdvise({ store, embedder, compare, clock }: AdviseParts): Advise {
  const doingOf = createDoingOf(embedder);
  return async ({ tenantId, text, context, agentType }) => {
    const watch = new Stopwatch();
    const request = await readRequest(store, tenantId, text);
    const [vector] = await embedder.embed([spoken(request.shape)], { kind: "query" });
    if (vector === undefined) throw new Error("the embedder gave no vector");
    watch.lap("embed");
    const comparison = await compare.amongShapes(tenantId);
    const retrieved = await retrieve(store, tenantId, { request, space: embedder.space, vector, comparison });
    watch.lap("retrieve");
    const { families, insights } = retrieved;
    const [doing, wording] = await Promise.all([
      doingOf(insights, families),
      weighWords(store, tenantId, { ...request, agentType }, families),
    ]);
    const failed = await failedSteps(store, tenantId, families, wording);
    const plan = choosePlan(retrieved, { vector, doing, wording, failedSteps: failed });
    const said =
      plan === null
        ? NOTHING
        : say(plan, request, await whatIsKnown(store, tenantId, { plan, request, context }));
    watch.lap("choose");
    const advice = {
      enhancementId: newId(clock()),
      response: writeBlock(text, said.sections),
      recommendations: said.recommendations,
      abstained: plan === null ? reasonFor(retrieved.families.length) : null,
      heldOut: false,
    };
    watch.lap("write");
    return { ...advice, timings: watch.laps };
  };
}

const NOTHING = { sections: [], recommendations: [] };

function reasonFor(families: number): string {
  return families === 0 ? "nothing has been learned yet" : "nothing learned is close enough to this task";
}

/** What the plan's steps are done with, and what is known about the things asked for and the things needed. */
function relatedTopics({ steps, family }: Plan, request: Request): string[] {
  const verbs = [...steps.map(({ verb }) => verb), ...wordsOfShape(request.shape)];
  const needed = steps.flatMap(({ roles }) =>
    Object.values(roles).flatMap(({ value, gap }) => (gap === null && value !== null ? [value] : [])),
  );
  const things = [...thingsIn(request), ...needed];
  return [
    ...new Set([topics.family(family.familyId), ...verbs.map(topics.tool), ...things.map(topics.thing)]),
  ];
}

/** Names by which the agent's world may know what the request speaks of: `alarm clocks` is perhaps an alarmclock. */
function thingsIn({ intent }: Request): string[] {
  const words = contentWords(intent.text).slice(0, MOST_WORDS);
  const joined = words.slice(1).map((word, i) => `${words[i] ?? ""}${word}`);
  return [...new Set([...words, ...joined].flatMap((word) => [word, stem(word)]))];
}

const MOST_WORDS = 40;

/** Everything that bears on the plan: its family's steps, its tools, the things asked for. */
async function whatIsKnown(
  store: Store,
  tenantId: string,
  { plan, request, context }: { plan: Plan; request: Request; context: AdviceRequest["context"] },
) {
  const { familyId } = plan.family;
  const [found, steps, episodes] = await Promise.all([
    store.insightsAbout(tenantId, relatedTopics(plan, request)),
    store.tallies(tenantId, topics.steps(familyId)),
    store.tallies(tenantId, topics.episodes(familyId), [ALL]),
  ]);
  const related = found.map(createRefine(context));
  const about = (topic: string) => related.filter(({ insight }) => insight.topics.includes(topic));
  const borrowed = !plan.family.exact;
  const named = wordsOfShape(request.shape);
  const planGaps = countGaps(plan.counted.insight.appliesWhen);
  // of the plan's own things it is known where they are, too; but what is asked for is in the request
  const asked = new Set(thingsIn(request));
  const things = related.filter((one) => isPlace(one) && asked.has(one.insight.appliesWhen));
  return { related, about, things, steps, borrowed, named, planGaps, succeeded: episodes[0]?.succeeded ?? 0 };
}

function say(plan: Plan, request: Request, known: Awaited<ReturnType<typeof whatIsKnown>>) {
  const { appliesWhen } = plan.counted.insight;
  const planText = writePlan(
    plan,
    fillPlan(plan.steps, gapsBy(appliesWhen, request.intent.text) ?? request.gaps, known),
  );
  const { toKnow, toDo, onError, toAvoid } = chooseMore(known.related, plan);
  const remark = ({ counted, score }: { counted: CountedInsight; score: number }) =>
    recommend(counted, writeRemark(counted), score, counted.support);
  const first = recommend(plan.counted, planText, plan.score, plan.support);
  const good = [...toKnow, ...toDo].slice(0, 2).map(remark);
  const fixes = onError.map(remark);
  const bad = toAvoid.map(remark);
  return {
    recommendations: [first, ...good, ...fixes, ...bad],
    sections: [
      { title: null, texts: [first.text] },
      { title: "Good to know:", texts: good.map(({ text }) => text) },
      { title: "If an error comes up:", texts: fixes.map(({ text }) => text) },
      { title: "To avoid:", texts: bad.map(({ text }) => text) },
    ],
  };
}

function recommend(
  { insight, sources }: CountedInsight,
  text: string,
  score: number,
  support: Support,
): Recommendation {
  const { insightId: id, kind } = insight;
  return { id, kind, text, score: Number(score.toFixed(4)), support, sources };
}
