/**
 * What is alike, by a tenant's own measure. Keeps, per tenant, what its documents say about chance, and measures it anew
 * as the tenant grows. Leaves out what to do with the answer: that is for the flows.
 */
import { measureSpace, type SpaceDefaults, UNRELATED_REQUESTS } from "../domain/calibration.ts";
import {
  type Background,
  type EmbeddedText,
  measureBackground,
  type Prepared,
  prepare,
  SAMPLE_SIZE,
} from "../domain/similarity.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { Store } from "../ports/store.ts";

export interface Compare {
  /** Among the requests themselves: for deleting. */
  amongIntents(tenantId: string): Promise<Comparison>;
  /** Among the shapes of requests: for advising. */
  amongShapes(tenantId: string): Promise<Comparison>;
}

export interface Comparison {
  /** Ready to be compared with others of the same comparison. Stored texts are kept ready: pass their ids. */
  prepare(text: EmbeddedText, id?: string): Prepared;
  /**
   * How likely a text belongs to this field at all, from 0 to 1, by its nearest document's cosine: even the best of many
   * unrelated ones comes as near as chance allows, and no nearer.
   */
  inField(nearest: number): number;
}

interface Measured {
  readonly version: number;
  readonly intents: Comparison;
  readonly shapes: Comparison;
}

const MOST_TENANTS = 200;
const MOST_READY = 2_000;
const STEEPNESS = 2;
const MARGIN = 0;

export function createCompare({
  store,
  embedder,
}: {
  readonly store: Store;
  readonly embedder: Embedder;
}): Compare {
  const measured = new Map<string, Measured>();
  let defaults: Promise<SpaceDefaults> | null = null;

  /** Once a process: how alike unrelated requests come out in this space. */
  const spaceDefaults = (): Promise<SpaceDefaults> => {
    defaults ??= embedder.embed(UNRELATED_REQUESTS, { kind: "document" }).then(measureSpace);
    // a failure is not kept: the next one asks again
    defaults.catch(() => (defaults = null));
    return defaults;
  };

  const measure = async (tenantId: string): Promise<Measured> => {
    const known = measured.get(tenantId);
    if (known !== undefined && !outgrown(known.version, await store.version(tenantId))) return known;
    const space = await spaceDefaults();
    const { version, intents, shapes } = await store.sample(tenantId, embedder.space, SAMPLE_SIZE);
    const fresh = {
      version,
      intents: comparisonUnder(measureBackground(withVectors(intents), space)),
      shapes: comparisonUnder(measureBackground(withVectors(shapes), space)),
    };
    measured.delete(tenantId);
    measured.set(tenantId, fresh);
    const [oldest] = measured.keys();
    if (measured.size > MOST_TENANTS && oldest !== undefined) measured.delete(oldest);
    return fresh;
  };

  return {
    amongIntents: async (tenantId) => (await measure(tenantId)).intents,
    amongShapes: async (tenantId) => (await measure(tenantId)).shapes,
  };
}

/** Preparing costs a tenth of a millisecond, so what is stored is prepared once. */
function comparisonUnder(background: Background): Comparison {
  const ready = new Map<string, Prepared>();
  const { mean, deviation } = background.space.meaning;
  const byChance = Math.sqrt(2 * Math.log(Math.max(2, background.frequencies.documents)));
  return {
    inField: (nearest) => 1 / (1 + Math.exp(-STEEPNESS * ((nearest - mean) / deviation - byChance - MARGIN))),
    prepare(text, id) {
      const known = id === undefined ? undefined : ready.get(id);
      if (known !== undefined) return known;
      const prepared = prepare(text, background);
      if (id !== undefined) {
        if (ready.size >= MOST_READY) ready.clear();
        ready.set(id, prepared);
      }
      return prepared;
    },
  };
}

/** Changes since then: some for a young tenant, a third of all for an old one. */
function outgrown(then: number, now: number): boolean {
  return Math.abs(now - then) > Math.max(4, then / 3);
}

function withVectors(
  documents: readonly { readonly text: string; readonly vector: Float32Array | null }[],
): EmbeddedText[] {
  return documents.flatMap(({ text, vector }) => (vector === null ? [] : [{ text, vector }]));
}
