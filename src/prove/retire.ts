/**
 * Whether an insight stays. One that harms is retired; one that was retired by mistake, or that has become useful
 * since, comes back.
 *
 * Every decision counts the evidence since the last one only. A retired insight is judged by what happened since it was
 * retired and not by the bad luck that may have retired it, and one that came back is not thrown out at once for it.
 */
import type { Stratum } from "./arms.ts";
import {
  type Prior,
  logEvidenceAgainstAtLeast,
  logEvidenceAgainstAtMost,
  lowerBound,
  upperBound,
} from "./confidence-sequence.ts";

export type Status = "active" | "retired";

export interface Ruling {
  readonly decision: "keep" | "retire" | "restore";
  /** The e-value against "it does no harm" for an active insight, against "it does no good" for a retired one. */
  readonly evidence: number;
  /** The bound that the decision asks for: the effect is at most this (active), at least this (retired). */
  readonly bound: number;
}

/** At most this share of harmless insights is ever retired, however long and often one looks. */
export const RETIRE_ALPHA = 0.02;

/** At most this share of useless ones ever comes back; of harmful ones far fewer. A mistake here is mended by retiring. */
const RESTORE_ALPHA = 0.1;

/**
 * A retired insight is still shown in this share of the enhancements it would be in; without that, nothing could be
 * learned about it any more. It costs this share of its harm: of ten points, half a point of success in these tasks.
 */
export const EXPLORATION_SHARE = 0.05;

/** For effects from 2 to 30 points, fastest for those of 5 to 25: the sizes at which retiring matters and can be told. */
const HARM_PRIOR: Prior = {
  rates: [0.15, 0.35, 0.6, 0.85],
  distances: [
    { size: 0.025, weight: 0.5 },
    { size: 0.06, weight: 1 },
    { size: 0.11, weight: 2 },
    { size: 0.22, weight: 2 },
  ],
};

/** `sinceChange`: the outcomes of exposures after the insight's last change of status, or all of them if it never changed. */
export function decide(status: Status, sinceChange: readonly Stratum[]): Ruling {
  if (status === "active") {
    const log = logEvidenceAgainstAtLeast(0, sinceChange, HARM_PRIOR);
    return {
      decision: log >= Math.log(1 / RETIRE_ALPHA) ? "retire" : "keep",
      evidence: finite(log),
      bound: upperBound(sinceChange, RETIRE_ALPHA, HARM_PRIOR),
    };
  }
  const log = logEvidenceAgainstAtMost(0, sinceChange, HARM_PRIOR);
  return {
    decision: log >= Math.log(1 / RESTORE_ALPHA) ? "restore" : "keep",
    evidence: finite(log),
    bound: lowerBound(sinceChange, RESTORE_ALPHA, HARM_PRIOR),
  };
}

/** Evidence is stored and sent as JSON, which has no infinity. */
function finite(log: number): number {
  return Math.exp(Math.min(log, 700));
}

/** The probability of leaving one insight out of an enhancement that is not held out; `share` is that of active ones. */
export function leaveOutShare(status: Status, share: number): number {
  return status === "retired" ? 1 - EXPLORATION_SHARE : share;
}
