/** What was tried for requests of this very shape, where all of them failed. */
import { topics } from "../domain/topics.ts";
import type { Store } from "../ports/store.ts";
import type { Family } from "./retrieve.ts";
import type { FamilyWords } from "./weigh-words.ts";

/** So often a step, or a request, must have failed to be given up. */
const ENOUGH = 2;

/** null where one of them succeeded, or too few were seen to tell. */
export async function failedSteps(
  store: Store,
  tenantId: string,
  families: readonly Family[],
  wording: ReadonlyMap<string, FamilyWords>,
): Promise<Set<string> | null> {
  const own = families.find(({ exact }) => exact);
  const episodes = own && wording.get(own.familyId)?.episodes;
  if (own === undefined || episodes === undefined || episodes.succeeded > 0 || episodes.failed < ENOUGH)
    return null;
  const steps = await store.tallies(tenantId, topics.steps(own.familyId));
  return new Set(steps.filter(({ failed }) => failed >= ENOUGH).map(({ key }) => key));
}
