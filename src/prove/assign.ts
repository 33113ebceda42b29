/**
 * Who sees what, by lot. The lots are drawn from a hash of the enhancement's id, so an assignment can be made again
 * from the ids alone, on any machine, and nobody who does not choose ids can steer it.
 *
 * There are two lots. One holds out the whole enhancement: that proves what the service as a whole is worth. The other
 * leaves single insights out of the rest: that proves what one insight is worth beside the others.
 */
import { createHash } from "node:crypto";

export interface Candidate {
  readonly insightId: string;
  /** The probability of leaving it out of an enhancement that is not held out; see `leaveOutShare`. */
  readonly leaveOut: number;
}

interface InsightAssignment {
  readonly insightId: string;
  readonly shown: boolean;
  readonly draw: number;
  /** The probability of being shown, among the enhancements that count for this insight. */
  readonly propensity: number;
  /**
   * Whether this enhancement's outcome says something about this insight. Not if nothing was left to chance; and not
   * if the enhancement was held out with others, for then it lacked them too. An insight that would have come alone
   * loses only itself by a holdout, so it counts there.
   */
  readonly counts: boolean;
}

export interface Assignment {
  readonly heldOut: boolean;
  readonly draw: number;
  /** The probability of not being held out. */
  readonly propensity: number;
  readonly insights: readonly InsightAssignment[];
}

export function assign(enhancementId: string, holdout: number, candidates: readonly Candidate[]): Assignment {
  const draw = lot("hold out", enhancementId);
  const heldOut = draw < holdout;
  const alone = candidates.length === 1;
  return {
    heldOut,
    draw,
    propensity: 1 - holdout,
    insights: candidates.map(({ insightId, leaveOut }) => {
      const ownDraw = lot("leave out", enhancementId, insightId);
      const propensity = alone ? (1 - holdout) * (1 - leaveOut) : 1 - leaveOut;
      return {
        insightId,
        shown: !heldOut && ownDraw >= leaveOut,
        draw: ownDraw,
        propensity,
        counts: (alone || !heldOut) && propensity > 0 && propensity < 1,
      };
    }),
  };
}

/** Uniform in [0, 1), with 48 bits; different words give independent lots. */
function lot(...words: readonly string[]): number {
  const hash = createHash("sha256").update(JSON.stringify(words)).digest();
  return hash.readUIntBE(0, 6) / 2 ** 48;
}
