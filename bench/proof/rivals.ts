/** Other ways to decide "it harms" at every look, with the same 2%, from the same sums. Why ours was chosen. */
import type { Stratum } from "../../src/prove/arms.ts";
import { RETIRE_ALPHA, decide } from "../../src/prove/retire.ts";
import type { World } from "./world.ts";

export interface Rival {
  readonly name: string;
  readonly retires: (stratum: Stratum, world: World) => boolean;
}

const ENOUGH = Math.log(1 / RETIRE_ALPHA);

export const rivals: readonly Rival[] = [
  {
    name: "ours",
    retires: (stratum) => decide("active", [stratum]).decision === "retire",
  },
  {
    name: "asymptotic normal mixture",
    retires: ({ shown, heldOut }) => {
      if (shown.n < 10 || heldOut.n < 10) return false;
      const n = shown.n + heldOut.n;
      const [a, b] = [shown.sum / shown.n, heldOut.sum / heldOut.n];
      const variance = n * ((a * (1 - a)) / shown.n + (b * (1 - b)) / heldOut.n);
      const tuned = n * 0.005 + 1;
      const half = Math.sqrt(
        ((variance * 2 * tuned) / (n * n * 0.005)) * Math.log(1 + Math.sqrt(tuned) / (2 * RETIRE_ALPHA)),
      );
      return a - b + half < 0;
    },
  },
  {
    name: "two Beta mixtures over the best null",
    retires: ({ shown, heldOut }) => {
      if (shown.sum * heldOut.n >= heldOut.sum * shown.n) return false;
      const pooled = { n: shown.n + heldOut.n, sum: shown.sum + heldOut.sum };
      // The prior on rates with shown under held out is twice the one on all: log 2, for nearly all of the mass.
      const alternative = Math.log(2) + logBetaMixture(shown) + logBetaMixture(heldOut);
      return alternative - logLikelihood(pooled, pooled.sum / pooled.n) >= ENOUGH;
    },
  },
  {
    name: "inverse propensity, not centred",
    retires: (stratum) => bet(stratum, 1e-9) >= ENOUGH,
  },
  {
    name: "ours, told the true rates",
    retires: (stratum, world) => {
      const rate = typeof world.rate === "number" ? world.rate : world.rate[0];
      return bet(stratum, rate + stratum.propensity * Math.min(world.effect, 0)) >= ENOUGH;
    },
  },
];

/** The bet of src/prove around one given centre, on four sizes of harm. */
function bet({ propensity, shown, heldOut }: Stratum, centre: number): number {
  const rest = 1 - propensity;
  const most = 0.95 * Math.min(propensity / (1 - centre), rest / centre);
  let total = 0;
  const sizes = [0.05, 0.1, 0.2, 0.3];
  for (const size of sizes) {
    const stake = Math.min(most, (size * propensity * rest) / Math.max(centre * (1 - centre), 0.15));
    total += Math.exp(
      shown.sum * Math.log(1 - (stake / propensity) * (1 - centre)) +
        (shown.n - shown.sum) * Math.log(1 + (stake / propensity) * centre) +
        heldOut.sum * Math.log(1 + (stake / rest) * (1 - centre)) +
        (heldOut.n - heldOut.sum) * Math.log(1 - (stake / rest) * centre),
    );
  }
  return Math.log(total / sizes.length);
}

function logLikelihood(arm: { readonly n: number; readonly sum: number }, rate: number): number {
  const failures = arm.n - arm.sum;
  return (arm.sum && arm.sum * Math.log(rate)) + (failures && failures * Math.log(1 - rate));
}

/** The likelihood of an arm under a Beta(1/2, 1/2) prior. */
function logBetaMixture(arm: { readonly n: number; readonly sum: number }): number {
  return logGamma(arm.sum + 0.5) + logGamma(arm.n - arm.sum + 0.5) - logGamma(arm.n + 1) - 2 * logGamma(0.5);
}

function logGamma(x: number): number {
  if (x < 10) return logGamma(x + 1) - Math.log(x);
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + 1 / (12 * x) - 1 / (360 * x ** 3);
}
