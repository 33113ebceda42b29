/**
 * Which kind of work an episode belongs to. Intents of one shape are one family; a new shape joins a family when it is
 * worded alike and was done the same way, so that `clean …` and `cool …` stay apart however alike they sound.
 */
import type { Comparison } from "../compare/compare.ts";
import type { Shape } from "../domain/intent.ts";
import type { Step } from "../domain/insight.ts";
import { similarity } from "../domain/similarity.ts";
import { topics } from "../domain/topics.ts";
import type { Store } from "../ports/store.ts";
import { nearestWorkflow } from "./distil/workflow.ts";

export interface FamilySearch {
  readonly shape: Shape;
  readonly space: string;
  readonly vector: Float32Array;
  readonly words: readonly string[];
  /** The plan of a success; empty where there is none. */
  readonly steps: readonly Step[];
  readonly comparison: Comparison;
}

const CANDIDATES = 8;
const SAME_WORDING = 0.5;
const SAME_WAY = 0.85;

export async function findFamily(store: Store, tenantId: string, search: FamilySearch): Promise<string> {
  const { shape, space, vector, words, steps, comparison } = search;
  const known = await store.findShape(tenantId, shape.shapeId);
  if (known !== null) return known.familyId;
  // without a plan to compare, wording alone would mix what only sounds alike
  if (steps.length === 0) return shape.shapeId;
  const found = await store.searchShapes(tenantId, { space, vector, words, limit: CANDIDATES });
  const own = comparison.prepare({ text: shape.text, vector });
  const alike = found
    .map((other) => ({
      familyId: other.familyId,
      shapeId: other.shapeId,
      similarity:
        other.vector === null
          ? 0
          : similarity(own, comparison.prepare({ text: other.text, vector: other.vector }, other.shapeId)),
    }))
    .filter((other) => other.similarity >= SAME_WORDING)
    .sort((a, b) => b.similarity - a.similarity || (a.shapeId < b.shapeId ? -1 : 1));
  for (const familyId of new Set(alike.map((other) => other.familyId))) {
    const insights = await store.insightsAbout(tenantId, [topics.family(familyId)]);
    const nearest = nearestWorkflow(insights, steps);
    if (nearest !== null && nearest.alikeness >= SAME_WAY) return familyId;
  }
  return shape.shapeId;
}
