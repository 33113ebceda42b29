/** Everything that bears on a plan: its family's steps, its tools, the things asked for. */
import { countGaps } from "../domain/shape.ts";
import { ALL, topics } from "../domain/topics.ts";
import { contentWords, stem } from "../domain/vocabulary.ts";
import type { CountedInsight, Store } from "../ports/store.ts";
import { isPlace } from "./choose-more.ts";
import type { Plan } from "./choose-plan.ts";
import type { Known as KnownForFilling } from "./fill-plan.ts";
import type { Request } from "./read-request.ts";
import { createRefine } from "./refine.ts";
import { wordsOfShape } from "./weigh-words.ts";

export interface Known extends KnownForFilling {
  readonly related: readonly CountedInsight[];
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

export async function whatIsKnown(
  store: Store,
  tenantId: string,
  { plan, request, context }: { plan: Plan; request: Request; context: Readonly<Record<string, string>> },
): Promise<Known> {
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

const MOST_WORDS = 40;
