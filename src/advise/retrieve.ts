/** Families of requests like the one asked, and what is known about them. */
import type { Comparison } from "../compare/compare.ts";
import { cosine } from "../domain/calibration.ts";
import { topics } from "../domain/topics.ts";
import { wordsOf } from "../domain/words.ts";
import type { CountedInsight, Store } from "../ports/store.ts";
import type { Request } from "./read-request.ts";

export interface Asked {
  readonly request: Request;
  readonly space: string;
  /** Of the request's shape. */
  readonly vector: Float32Array;
  readonly comparison: Comparison;
}

export interface Family {
  readonly familyId: string;
  /** Of its nearest shape. */
  readonly cosine: number;
  /** Whether requests of this very shape were seen before. */
  readonly exact: boolean;
}

export interface Retrieved {
  /** Nearest first. */
  readonly families: readonly Family[];
  /** How likely the request belongs to what this tenant's agents do at all, from 0 to 1. */
  readonly inField: number;
  readonly insights: readonly CountedInsight[];
}

/** Shapes looked at by vector and as many by words: enough for the right one to be among them. */
const MOST_SHAPES = 48;
const MOST_FAMILIES = 16;

export async function retrieve(store: Store, tenantId: string, asked: Asked): Promise<Retrieved> {
  const { request, space, vector, comparison } = asked;
  const { text } = request.shape;
  const shapes = await store.searchShapes(tenantId, {
    space,
    vector,
    words: wordsOf(text),
    limit: MOST_SHAPES,
  });
  const near = shapes
    .flatMap(({ vector: at, ...shape }) =>
      at === null ? [] : [{ ...shape, at, cosine: cosine(vector, at) }],
    )
    .sort((a, b) => b.cosine - a.cosine || (a.shapeId < b.shapeId ? -1 : 1));
  const families = new Map<string, Family>();
  for (const { shapeId, familyId, cosine: at } of near) {
    const known = families.get(familyId);
    const exact = shapeId === request.shape.shapeId || known?.exact === true;
    families.set(familyId, { familyId, exact, cosine: known?.cosine ?? at });
  }
  const best = [...families.values()].slice(0, MOST_FAMILIES);
  const insights = await store.insightsAbout(
    tenantId,
    best.map(({ familyId }) => topics.family(familyId)),
  );
  const [nearest] = best;
  return {
    families: best,
    inField: nearest === undefined ? 0 : comparison.inField(nearest.cosine),
    insights,
  };
}
