/** The flow before a task: read -> embed -> retrieve -> choose -> abstain? -> draw lots -> record -> write. */
import type { Compare } from "../compare/compare.ts";
import { newId } from "../domain/ids.ts";
import { spoken } from "../domain/shape.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { Ledger } from "../ports/ledger.ts";
import type { CountedInsight, Store } from "../ports/store.ts";
import { sharesOf } from "../prove/trial.ts";
import type { WorthOf } from "../prove/worth.ts";
import { choosePlan, choosePlanOnTrial } from "./choose-plan.ts";
import { createDoingOf } from "./doing.ts";
import { failedSteps } from "./failed-steps.ts";
import { drawLots, isLive, offersFor, type Recommendation, sectionsOf } from "./offer.ts";
import { readRequest } from "./read-request.ts";
import { retrieve } from "./retrieve.ts";
import { Stopwatch } from "./stopwatch.ts";
import { weighWords } from "./weigh-words.ts";
import { whatIsKnown } from "./what-is-known.ts";
import { writeBlock } from "./write.ts";

export interface AdviseParts {
  readonly store: Store;
  readonly embedder: Embedder;
  readonly compare: Compare;
  readonly clock: () => number;
  readonly ledger: Ledger;
  /** Whether enhancements are recorded at all. */
  readonly recording: boolean;
  readonly worthOf: WorthOf;
  readonly hashRequest: (intentId: string) => string;
  /** The service's own shares; see `Shares`. A null leaves it to the holdout. */
  readonly holdout: number;
  readonly leaveOut: number | null;
}

export interface AdviceRequest {
  readonly tenantId: string;
  readonly text: string;
  readonly context: Readonly<Record<string, string>>;
  readonly agentType: string | null;
  /** The tenant's own share to be held out; absent: the service's. */
  readonly holdout?: number | undefined;
}

export interface Advice {
  readonly enhancementId: string;
  /** The input, followed by the recommendations if there are any. */
  readonly response: string;
  readonly recommendations: readonly Recommendation[];
  /** Why there are none; null where there are some, or where they were held out. */
  readonly abstained: string | null;
  /** There were some, and by lot they are not given: somebody has to do without, or nobody would know what they are worth. */
  readonly heldOut: boolean;
  /** Milliseconds by step. */
  readonly timings: Readonly<Record<string, number>>;
}

export type Advise = (request: AdviceRequest) => Promise<Advice>;

export function createAdvise(parts: AdviseParts): Advise {
  const { store, embedder, compare, clock } = parts;
  const doingOf = createDoingOf(embedder);
  return async (asked) => {
    const { tenantId, text } = asked;
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
      weighWords(store, tenantId, { ...request, agentType: asked.agentType }, families),
    ]);
    const failed = await failedSteps(store, tenantId, families, wording);
    const shares = sharesOf(asked.holdout ?? parts.holdout, parts.leaveOut);
    const worth = parts.worthOf(tenantId);
    const utilityOf = ({ insight }: CountedInsight) => worth.utilityOf(insight.insightId, insight.kind).value;
    const onTrial = ({ insight, retirement }: CountedInsight) =>
      shares.holdout > 0 && retirement !== null && worth.isOnTrial(insight.insightId, retirement.at);
    const reading = { vector, doing, wording, failedSteps: failed, utilityOf };
    const plan = choosePlan(retrieved, { ...reading, isEligible: isLive });
    const tried = insights.some(onTrial) ? choosePlanOnTrial(retrieved, reading, onTrial) : null;
    const { context } = asked;
    const offers = await offersFor({ plan, tried }, request, {
      known: (about) => whatIsKnown(store, tenantId, { plan: about, request, context }),
      utilityOf,
      onTrial,
    });
    watch.lap("choose");

    const at = clock();
    const enhancementId = newId(at);
    const drawn = drawLots(enhancementId, shares, offers);
    const shownIds = new Set(drawn.exposures.filter(({ shown }) => shown).map(({ insightId }) => insightId));
    const shown = offers.filter(({ recommendation }) => shownIds.has(recommendation.id));
    if (parts.recording) {
      parts.ledger.record(tenantId, {
        ...drawn,
        enhancementId,
        at,
        requestHash: parts.hashRequest(request.intent.intentId),
        agentType: (asked.agentType ?? "").slice(0, LONGEST_AGENT_TYPE),
        familyId: (plan ?? tried)?.family.familyId ?? "",
      });
    }
    watch.lap("record");
    const heldOut = drawn.arm === "held out";
    const advice = {
      enhancementId,
      response: writeBlock(text, sectionsOf(shown)),
      recommendations: shown.map(({ recommendation }) => recommendation),
      abstained: shown.length > 0 || heldOut ? null : reasonFor(families.length, offers.length),
      heldOut,
    };
    watch.lap("write");
    return { ...advice, timings: watch.laps };
  };
}

const LONGEST_AGENT_TYPE = 100;

function reasonFor(families: number, offers: number): string {
  if (offers > 0) return "all that is known was left out by lot, to learn what it is worth";
  return families === 0 ? "nothing has been learned yet" : "nothing learned is close enough to this task";
}
