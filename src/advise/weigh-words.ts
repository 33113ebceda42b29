/** How well the words of a request go with each family, from how often the family's own requests have them. */
import type { Shape } from "../domain/intent.ts";
import { contentWords, stem } from "../domain/vocabulary.ts";
import { ALL, topics } from "../domain/topics.ts";
import { countByKey, type Store, type TallyCount } from "../ports/store.ts";
import type { Request } from "./read-request.ts";
import type { Family } from "./retrieve.ts";

/** One word more or less decides no more than this. */
const LEAST_ODDS = -6;
const MOST_WORDS = 40;

/** A word that a family's requests always have, and this one has not, costs so much: people say things differently. */
const MISSED = 0.5;
const ALWAYS = 0.9;
const ENOUGH_EPISODES = 3;

export interface FamilyWords {
  /** Log-probability of the request's words, the best family's 0. Words that no family has tell nothing. */
  readonly odds: number;
  /** All that its requests are worded with, stemmed. */
  readonly words: ReadonlySet<string>;
  readonly episodes: TallyCount;
  /** The share of its episodes that came from agents of the caller's type, from 0 to 1; 0 where no type is given. */
  readonly sameAgent: number;
}

/** By family. */
export async function weighWords(
  store: Store,
  tenantId: string,
  { shape, agentType }: Request & { readonly agentType: string | null },
  families: readonly Family[],
): Promise<Map<string, FamilyWords>> {
  const words = wordsOfShape(shape);
  const counted = await Promise.all(
    families.map(async ({ familyId }) => ({
      familyId,
      counts: countByKey(await store.tallies(tenantId, topics.words(familyId))),
      episodes: (await store.tallies(tenantId, topics.episodes(familyId), [ALL]))[0] ?? NO_EPISODES,
      agents:
        agentType === null
          ? []
          : await store.tallies(tenantId, topics.agents(familyId), [agentType.slice(0, 100)]),
    })),
  );
  const known = words.filter((word) => counted.some(({ counts }) => counts.has(word)));
  const weighed = counted.map(({ familyId, counts, episodes, agents }) => {
    const all = episodes.succeeded + episodes.failed + episodes.unknown;
    const present = known.reduce(
      (sum, word) => sum + Math.log(((counts.get(word) ?? 0) + 0.5) / (all + 1)),
      0,
    );
    return {
      familyId,
      episodes,
      sameAgent: all === 0 ? 0 : (countByKey(agents).get(agentType?.slice(0, 100) ?? "") ?? 0) / all,
      words: new Set(counts.keys()),
      odds: present - MISSED * missing(counts, all, words),
    };
  });
  const best = Math.max(...weighed.map(({ odds }) => odds));
  return new Map(
    weighed.map(({ familyId, odds, ...rest }) => [
      familyId,
      { ...rest, odds: Math.max(LEAST_ODDS, odds - best) },
    ]),
  );
}

const NO_EPISODES: TallyCount = { key: ALL, succeeded: 0, failed: 0, unknown: 0 };

/** Stemmed, without gaps and without what every request has. */
export function wordsOfShape(shape: Shape): string[] {
  return [...new Set(contentWords(shape.text).map(stem))].slice(0, MOST_WORDS);
}

/** How many words the family's requests always have and this one has not. */
function missing(counts: ReadonlyMap<string, number>, episodes: number, words: readonly string[]): number {
  if (episodes < ENOUGH_EPISODES) return 0;
  return [...counts].filter(([word, count]) => count >= ALWAYS * episodes && !words.includes(word)).length;
}
