/** Embeds anew what was embedded in another space, a chunk at a time, while the service serves. */
import { shapeFrom } from "../domain/intent.ts";
import { spoken } from "../domain/shape.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { Store } from "../ports/store.ts";

const AT_A_TIME = 200;

/** Answers how many texts were embedded; `progress` is told after each chunk. Started again, it goes on where it was. */
export async function reindex(
  { store, embedder }: { readonly store: Store; readonly embedder: Embedder },
  tenantId: string,
  progress: (done: number) => void,
): Promise<number> {
  const embed = async (entries: readonly (readonly [id: string, text: string])[]) => {
    const vectors = await embedder.embed(
      entries.map(([, text]) => text),
      { kind: "document" },
    );
    return new Map(entries.map(([id], i) => [id, vectors[i] ?? new Float32Array()]));
  };
  for (let done = 0; ;) {
    const { intents, shapes } = await store.outsideSpace(tenantId, embedder.space, AT_A_TIME);
    if (intents.length + shapes.length === 0) return done;
    await store.placeInSpace(tenantId, embedder.space, {
      intents: await embed(intents.map(({ intentId, text }) => [intentId, text])),
      shapes: await embed(shapes.map(({ shapeId, text }) => [shapeId, spoken(shapeFrom(text))])),
    });
    done += intents.length + shapes.length;
    progress(done);
  }
}
