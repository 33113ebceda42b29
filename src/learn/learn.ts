/** The flow from a claimed job to knowledge: open -> redact -> strip our echo -> analyse -> shape -> embed -> distil -> join the outcome -> store. */
import { type Intent, intentOf, type Shape } from "../domain/intent.ts";
import type { InsightCounts } from "../domain/insight.ts";
import { decodeInteraction, type Interaction } from "../domain/interaction.ts";
import { askedWords, shapeIntent, spoken, varyingWords } from "../domain/shape.ts";
import { ALL, topics } from "../domain/topics.ts";
import type { Vault } from "../domain/vault.ts";
import { contentWords, stem } from "../domain/vocabulary.ts";
import { wordsOf } from "../domain/words.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { Keys } from "../ports/keys.ts";
import type { Ledger } from "../ports/ledger.ts";
import type { ClaimedJob } from "../ports/queue.ts";
import { countByKey, type Store, type TallyCount } from "../ports/store.ts";
import { analyseGently } from "./analyse-gently.ts";
import { distil } from "./distil.ts";
import { findFamily } from "./find-family.ts";
import { joinOutcome } from "./join-outcome.ts";
import { redact } from "./redact.ts";
import { skeletonOf } from "./skeleton.ts";
import { stripEcho } from "./strip-echo.ts";
import { wordsUsedAsValues } from "./words-used.ts";

export interface LearnParts {
  readonly store: Store;
  readonly keys: Keys;
  readonly embedder: Embedder;
  readonly vault: Vault;
  readonly clock: () => number;
  readonly ledger: Ledger;
  /** As the advice that came before it was recorded. */
  readonly hashRequest: (intentId: string) => string;
}

/** null: the job was taken over or deleted meanwhile, and nothing was written. */
export type Learn = (job: ClaimedJob) => Promise<InsightCounts | null>;

export function createLearn(parts: LearnParts): Learn {
  const { store, keys, embedder, vault, clock } = parts;
  return async ({ tenantId, fence, payload, createdAt }) => {
    const uploaded = decodeInteraction(vault.openPayload(fence.jobId, payload));
    const tenant = await keys.findTenant(tenantId);
    const redacted = redact(uploaded, { personalData: tenant?.settings.redactPersonalData ?? true });
    const interaction = stripEcho(redacted.interaction);

    const analysis = await analyseGently(interaction, { noopShapes: await knownNoops(store, tenantId) });
    const intent = intentOf(interaction.query);
    const used = wordsUsedAsValues(analysis);
    const varying = await knownToVary(store, tenantId, intent);
    const { shape, gaps } = shapeIntent(intent, new Set([...used, ...varying]));
    const plan = skeletonOf(analysis.workingSteps, gaps);
    const words = wordsOf(shape.text);

    const [intentVector, shapeVector] = await embedder.embed([intent.text, spoken(shape)], {
      kind: "document",
    });
    if (intentVector === undefined || shapeVector === undefined)
      throw new Error("the embedder gave no vector");
    const { success } = interaction;
    const familyId = await findFamily(store, tenantId, {
      shape,
      space: embedder.space,
      vector: shapeVector,
      words,
      steps: success === true ? plan : [],
    });

    const notes = distil({
      analysis,
      success,
      shape,
      plan,
      familyId,
      known: await store.insightsAbout(tenantId, [topics.family(familyId)]),
      steps: await store.tallies(tenantId, topics.steps(familyId)),
      episodes: (await store.tallies(tenantId, topics.episodes(familyId), [ALL]))[0] ?? NO_EPISODES,
    });
    const joined = await joinOutcome(parts, tenantId, {
      jobId: fence.jobId,
      uploadedAt: createdAt,
      interaction: uploaded,
    });
    const now = clock();
    return store.complete(tenantId, fence, {
      episode: {
        episodeId: fence.jobId,
        intentId: intent.intentId,
        shapeId: shape.shapeId,
        familyId,
        success,
        createdAt: now,
        interaction,
      },
      intent: { ...intent, vector: intentVector },
      shape: { ...shape, vector: shapeVector, words },
      space: embedder.space,
      insights: [...notes.insights.values()],
      evidence: notes.evidence,
      tallies: [
        ...notes.tallies,
        ...wordTallies(intent, used),
        ...familyWords(familyId, shape),
        ...agentTally(familyId, interaction),
      ],
      skipped: notes.skipped,
      completedAt: now,
      notes: [...notesFor(interaction), ...joined],
    });
  };
}

const NO_EPISODES: TallyCount = { key: ALL, succeeded: 0, failed: 0, unknown: 0 };

/** Words of the request that were values in earlier runs, stemmed. */
async function knownToVary(store: Store, tenantId: string, intent: Intent): Promise<Set<string>> {
  const words = askedWords(intent);
  const asked = await store.tallies(tenantId, topics.asked, words);
  const values = await store.tallies(tenantId, topics.value, words);
  return varyingWords(countByKey(asked), countByKey(values));
}

function wordTallies(intent: Intent, used: ReadonlySet<string>) {
  const asked = askedWords(intent);
  return [
    ...asked.map((key) => ({ topic: topics.asked, key })),
    ...asked.filter((word) => used.has(word)).map((key) => ({ topic: topics.value, key })),
  ];
}

function agentTally(familyId: string, { agentType }: Interaction) {
  return agentType === null || agentType === ""
    ? []
    : [{ topic: topics.agents(familyId), key: agentType.slice(0, 100) }];
}

function familyWords(familyId: string, shape: Shape) {
  const words = new Set(contentWords(shape.text).map(stem));
  return [...words].slice(0, MOST_WORDS).map((key) => ({ topic: topics.words(familyId), key }));
}

const MOST_WORDS = 40;

/** Results that followed on so many failures, and hardly on a success, mean that nothing happened. */
const ENOUGH_FAILURES = 3;

async function knownNoops(store: Store, tenantId: string): Promise<Set<string>> {
  const seen = await store.tallies(tenantId, topics.noop);
  const telling = seen.filter(
    ({ succeeded, failed }) => failed >= ENOUGH_FAILURES && failed >= 2 * succeeded,
  );
  return new Set(telling.map(({ key }) => key));
}

function notesFor(interaction: Interaction): string[] {
  return interaction.turns.length === 0 ? ["there were no turns to learn from"] : [];
}
