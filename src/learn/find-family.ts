/**
 * Which kind of work an episode belongs to. Intents of one shape are one family; a new shape joins a family when it is
 * worded alike and was done the same way. Wording alone would mix what only sounds alike: `clean …` and `cool …` stay
 * apart, because each names a step that the other's runs do not have.
 */
import { cosine } from "../domain/calibration.ts";
import type { Shape } from "../domain/intent.ts";
import type { Step } from "../domain/insight.ts";
import { topics } from "../domain/topics.ts";
import { contentWords, stem } from "../domain/vocabulary.ts";
import type { Store } from "../ports/store.ts";
import { nearestWorkflow } from "./distil/workflow.ts";

export interface FamilySearch {
  readonly shape: Shape;
  readonly space: string;
  readonly vector: Float32Array;
  readonly words: readonly string[];
  /** The plan of a success; empty where there is none. */
  readonly steps: readonly Step[];
}

const CANDIDATES = 8;
const WORDED_ALIKE = 0.6;
const SAME_WAY = 0.6;
const SAME_WORDS = 0.6;

export async function findFamily(store: Store, tenantId: string, search: FamilySearch): Promise<string> {
  const { shape, space, vector, words, steps } = search;
  const known = await store.findShape(tenantId, shape.shapeId);
  // without a plan to compare there is only the wording, and that is not enough
  if (steps.length === 0) return known?.familyId ?? shape.shapeId;
  if (known !== null && (await hasPlan(store, tenantId, known.familyId))) return known.familyId;
  const found = await store.searchShapes(tenantId, { space, vector, words, limit: CANDIDATES });
  const alike = found
    .flatMap(({ vector: at, ...other }) => (at === null ? [] : [{ ...other, cosine: cosine(vector, at) }]))
    .filter((other) => other.cosine >= WORDED_ALIKE && (known === null || sharesWords(shape, other)))
    .sort((a, b) => b.cosine - a.cosine || (a.shapeId < b.shapeId ? -1 : 1));
  for (const other of alike) {
    const insights = await store.insightsAbout(tenantId, [topics.family(other.familyId)]);
    const nearest = nearestWorkflow(insights, steps);
    if (nearest === null || nearest.alikeness < SAME_WAY) continue;
    const { structure } = nearest.known.insight;
    const theirs = structure.kind === "workflow" ? structure.steps : [];
    if (hasAllNamed(shape, steps, theirs) && hasAllNamed(other, theirs, steps)) return other.familyId;
  }
  return known?.familyId ?? shape.shapeId;
}

async function hasPlan(store: Store, tenantId: string, familyId: string): Promise<boolean> {
  const insights = await store.insightsAbout(tenantId, [topics.family(familyId)]);
  return insights.some(({ insight }) => insight.kind === "workflow");
}

/**
 * A shape that began with failures has a family without a plan. Its first success may show that it belongs to another, if
 * it says the same in nearly the same words; a word more may well be what made it fail.
 */
function sharesWords(a: Shape, b: Shape): boolean {
  const [ours, theirs] = [a, b].map(({ text }) => new Set(contentWords(text).map(stem)));
  const shared = [...(ours ?? [])].filter((word) => theirs?.has(word)).length;
  return shared >= SAME_WORDS * new Set([...(ours ?? []), ...(theirs ?? [])]).size;
}

/** Whether every step of `own` that the request itself names is among `others`. */
function hasAllNamed({ text }: Shape, own: readonly Step[], others: readonly Step[]): boolean {
  const words = new Set(contentWords(text).map(stem));
  const verbs = new Set(others.map(({ verb }) => verb));
  return own.every(({ verb }) => verbs.has(verb) || !wordsOfVerb(verb).some((word) => words.has(word)));
}

function wordsOfVerb(verb: string): string[] {
  return contentWords(verb.replaceAll(/[_.-]/g, " ")).map(stem);
}
