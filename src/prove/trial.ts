/** One enhancement as a trial: the lots for what it has to offer, and what the ledger is to know about them. */
import type { EnhancementArm, Exposure } from "../ports/ledger.ts";
import { assign } from "./assign.ts";
import { leaveOutShare } from "./retire.ts";

export interface Shares {
  /** Of enhancements that are answered without recommendations. */
  readonly holdout: number;
  /** Of the rest: the share in which any one insight is left out. */
  readonly leaveOut: number;
}

export interface Offered {
  readonly insightId: string;
  readonly kind: string;
  /** It did harm, and is still shown now and then to see whether it still does. */
  readonly retired: boolean;
}

export interface Drawn {
  readonly arm: EnhancementArm;
  readonly propensity: number;
  readonly exposures: readonly Exposure[];
}

/** With single insights left out in a tenth, unless something else is set: without that nothing is known about any. */
const USUAL_LEAVE_OUT = 0.1;

export function sharesOf(holdout: number, leaveOut: number | null): Shares {
  return { holdout, leaveOut: leaveOut ?? (holdout > 0 ? USUAL_LEAVE_OUT : 0) };
}

export function draw(enhancementId: string, shares: Shares, offered: readonly Offered[]): Drawn {
  // where all there is was retired, silence is the rule: nothing is held out by not breaking it
  const isSilent = offered.every(({ retired }) => retired);
  const holdout = isSilent ? 0 : shares.holdout;
  const leaveOutOf = ({ retired }: Offered) => leaveOutShare(retired ? "retired" : "active", shares.leaveOut);
  const { heldOut, propensity, insights } = assign(
    enhancementId,
    holdout,
    offered.map((one) => ({ insightId: one.insightId, leaveOut: leaveOutOf(one) })),
  );
  const spokenFor = new Set<string>();
  const exposures = offered.map(({ insightId, kind, retired }, i): Exposure => {
    const { shown = false, propensity: own = 1, counts = false } = insights[i] ?? {};
    const speaksForKind = counts && !retired && !spokenFor.has(kind);
    if (speaksForKind) spokenFor.add(kind);
    return { insightId, kind, shown, propensity: own, counts, speaksForKind };
  });
  const hasAdvice = !isSilent || exposures.some(({ shown }) => shown);
  return { arm: heldOut ? "held out" : hasAdvice ? "shown" : "abstained", propensity, exposures };
}

/** A plan that made room for another one was neither shown nor left out by its own lot: it says nothing. */
export function displaced(drawn: Drawn, insightId: string): Drawn {
  const exposures = drawn.exposures.map((one) =>
    one.insightId === insightId ? { ...one, shown: false, counts: false, speaksForKind: false } : one,
  );
  return { ...drawn, exposures };
}
