/**
 * Whether outcomes go missing more in one arm than in the other. They are told by the callers, and if a caller tells
 * of its failures only when advice was shown, no arithmetic saves the comparison. But then the arms' sizes no longer fit
 * the probabilities they were drawn with, and that can be seen.
 */
import { type Stratum, isRandomised } from "./arms.ts";

/** At most one sound proof in a thousand is ever doubted. */
const DOUBT_ALPHA = 0.001;

/** How much likelier one arm's outcomes are to be told than the other's, in the alternatives that are weighed. */
const LIKELIER = [0.5, 0.8, 0.9, 1 / 0.9, 1.25, 2];

export function armsFitTheirShares(strata: readonly Stratum[]): boolean {
  const evidence = LIKELIER.map((times) => {
    let log = 0;
    for (const stratum of strata) {
      if (!isRandomised(stratum)) continue;
      const { propensity, shown, heldOut } = stratum;
      const total = propensity * times + (1 - propensity);
      log += shown.n * Math.log(times / total) - heldOut.n * Math.log(total);
    }
    return Math.exp(log);
  });
  const mean = evidence.reduce((sum, value) => sum + value, 0) / evidence.length;
  return mean < 1 / DOUBT_ALPHA;
}
