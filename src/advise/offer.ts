/** The recommendations that may be made, and the lots that decide which of them are. */
import type { InsightKind, Support } from "../domain/insight.ts";
import { gapsBy } from "../domain/shape.ts";
import type { CountedInsight } from "../ports/store.ts";
import { displaced, draw, type Drawn, type Shares } from "../prove/trial.ts";
import { chooseMore, type Remark } from "./choose-more.ts";
import type { Plan, UtilityOf } from "./choose-plan.ts";
import { fillPlan } from "./fill-plan.ts";
import type { Request } from "./read-request.ts";
import type { Known } from "./what-is-known.ts";
import { type Section, writePlan, writeRemark } from "./write.ts";

export interface Recommendation {
  readonly id: string;
  readonly kind: InsightKind;
  readonly text: string;
  readonly score: number;
  readonly support: Support;
  /** Jobs it was learned from. */
  readonly sources: readonly string[];
}

/** A recommendation that may be made, if the lots let it. */
export interface Offer {
  readonly recommendation: Recommendation;
  readonly section: keyof typeof TITLES;
  readonly retired: boolean;
}

const TITLES = {
  plan: null,
  good: "Good to know:",
  error: "If an error comes up:",
  bad: "To avoid:",
} as const;

interface Offering {
  readonly known: (plan: Plan) => Promise<Known>;
  readonly utilityOf: UtilityOf;
  readonly onTrial: (counted: CountedInsight) => boolean;
}

/** A retired plan that is to be tried comes first, before the usual one. Without a usual one there is silence, or the trial. */
export async function offersFor(
  { plan, tried }: { readonly plan: Plan | null; readonly tried: Plan | null },
  request: Request,
  { known, utilityOf, onTrial }: Offering,
): Promise<Offer[]> {
  const trial = tried === null ? [] : [offerPlan(tried, request, await known(tried))];
  if (plan === null) return trial;
  const about = await known(plan);
  const usual = chooseMore(about.related.filter(isLive), plan, utilityOf);
  const again = chooseMore(about.related.filter(onTrial), plan, () => 0);
  return [
    ...trial,
    offerPlan(plan, request, about),
    ...[...usual.toKnow, ...usual.helpful].slice(0, 2).map((one) => offerRemark(one, "good")),
    ...[...again.toKnow, ...again.helpful].slice(0, 1).map((one) => offerRemark(one, "good")),
    ...usual.onError.map((one) => offerRemark(one, "error")),
    ...again.onError.slice(0, 1).map((one) => offerRemark(one, "error")),
    ...usual.toAvoid.map((one) => offerRemark(one, "bad")),
    ...again.toAvoid.slice(0, 1).map((one) => offerRemark(one, "bad")),
  ];
}

function offerPlan(plan: Plan, request: Request, known: Known): Offer {
  const gaps = gapsBy(plan.counted.insight.appliesWhen, request.intent.text) ?? request.gaps;
  const text = writePlan(plan, fillPlan(plan.steps, gaps, known));
  return {
    recommendation: recommend(plan.counted, text, plan.score, plan.support),
    section: "plan",
    retired: !isLive(plan.counted),
  };
}

function offerRemark({ counted, score }: Remark, section: Offer["section"]): Offer {
  return {
    recommendation: recommend(counted, writeRemark(counted), score, counted.support),
    section,
    retired: !isLive(counted),
  };
}

export function sectionsOf(offers: readonly Offer[]): Section[] {
  return (["plan", "good", "error", "bad"] as const).map((section) => ({
    title: TITLES[section],
    texts: offers.filter((one) => one.section === section).map(({ recommendation: { text } }) => text),
  }));
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

/** Of two plans, a retired one that is tried again stands in for the one that is usual: never both. */
export function drawLots(enhancementId: string, shares: Shares, offers: readonly Offer[]): Drawn {
  if (offers.length === 0) return { arm: "abstained", propensity: 1, exposures: [] };
  const drawn = draw(
    enhancementId,
    shares,
    offers.map(({ recommendation: { id: insightId, kind }, retired }) => ({ insightId, kind, retired })),
  );
  const [tried, usual] = offers.filter(({ section }) => section === "plan");
  if (tried === undefined || usual === undefined) return drawn;
  const isShown = drawn.exposures.some(
    ({ insightId, shown }) => insightId === tried.recommendation.id && shown,
  );
  return isShown ? displaced(drawn, usual.recommendation.id) : drawn;
}

export function isLive({ status }: CountedInsight): boolean {
  return status !== "retired";
}
