import { beforeAll, describe, expect, it } from "vitest";
import { measureSpace, type SpaceDefaults, UNRELATED_REQUESTS } from "../../src/domain/calibration.ts";
import {
  type Background,
  measureBackground,
  prepare,
  relevance,
  sameIntent,
  similarity,
} from "../../src/domain/similarity.ts";
import { normalise } from "../../src/domain/words.ts";
import { lexicalEmbedder } from "../../src/embedders/lexical.ts";

const embedder = lexicalEmbedder();

async function embedded(texts: readonly string[]) {
  const vectors = await embedder.embed(texts, { kind: "document" });
  return texts.map((text, at) => ({ text, vector: vectors[at] ?? new Float32Array(embedder.dimensions) }));
}

/** Forty intents with a vocabulary of their own, each said in as many ways as wanted. */
const THINGS = [
  "invoice",
  "parcel",
  "password",
  "flight",
  "table",
  "lamp",
  "photo",
  "contract",
  "sensor",
  "recipe",
];
const DEEDS = ["cancel", "find", "repair", "share"];
const WAYS = [
  (deed: string, thing: string) => `please ${deed} the ${thing} of mine`,
  (deed: string, thing: string) => `could you ${deed} my ${thing} today`,
  (deed: string, thing: string) => `I need someone to ${deed} this ${thing}`,
  (deed: string, thing: string) => `${deed} ${thing} now`,
  (deed: string, thing: string) => `how do I ${deed} a ${thing}`,
];
function documentsOf(ways: number): string[] {
  return THINGS.flatMap((thing) =>
    DEEDS.flatMap((deed) => WAYS.slice(0, ways).map((say) => say(deed, thing))),
  );
}

/** Vectors with meaning: every intent has a direction of its own besides that of the field they all share. */
function meanings({
  intents,
  each,
  field,
  noise,
}: {
  intents: number;
  each: number;
  field: number;
  noise: number;
}) {
  let state = 11;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const direction = () => unit(Float32Array.from({ length: 64 }, () => next() + next() + next() - 1.5));
  const shared = direction();
  // The texts tell nothing: each is one number, and numbers are drawn by chance.
  const say = (own: Float32Array, intent: number) => {
    const chance = direction();
    const vector = own.map((value, at) => value + field * (shared[at] ?? 0) + noise * (chance[at] ?? 0));
    return { intent, text: `${Math.floor(next() * 2 ** 32)}`, vector: unit(vector) };
  };
  const owns = Array.from({ length: intents }, direction);
  return {
    documents: owns.flatMap((own, n) => Array.from({ length: each }, () => say(own, n))),
    queries: owns.map(say),
    unrelated: UNRELATED_REQUESTS.map(direction),
  };
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

describe("the similarity of two intents", () => {
  let space: SpaceDefaults;
  beforeAll(async () => {
    space = measureSpace(await embedder.embed(UNRELATED_REQUESTS, { kind: "document" }));
  });
  const tenant = async (texts: readonly string[]): Promise<Background> =>
    measureBackground(await embedded(texts), space);
  const prepared = async (texts: readonly string[], background: Background) =>
    (await embedded(texts)).map((text) => prepare(text, background));
  async function scores(query: string, documents: readonly string[]) {
    const background = await tenant(documents);
    const [asked, ...candidates] = await prepared([query, ...documents], background);
    if (asked === undefined) throw new Error("no query");
    const order = candidates.toSorted((a, b) => relevance(asked, b) - relevance(asked, a));
    const found = sameIntent(asked, order);
    return new Map(order.map(({ key }, at) => [key, found[at] ?? Number.NaN]));
  }

  it("is exactly 1 for the same text, however it is typed, and for no tenant size other", async () => {
    for (const documents of [[], ["another thing"], documentsOf(2)]) {
      const background = await tenant(documents);
      const [a, b] = await prepared(["Cancel my flight!", "  cancel MY flight "], background);
      if (a === undefined || b === undefined) throw new Error("not prepared");
      expect(similarity(a, b)).toBe(1);
      expect(sameIntent(a, [b])).toEqual([1]);
    }
  });

  it("lies between 0 and 1 and below 1 for another text", async () => {
    for (const [, score] of await scores("please cancel the flight of yours", documentsOf(3))) {
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThan(1);
    }
  });

  it.each([
    { name: "of many fields", field: 0.2 },
    { name: "of a single field, where everything is a little alike", field: 0.9 },
  ])(
    "takes at a half more than a third of the intent asked for and hardly any other, in a tenant $name",
    ({ field }) => {
      const { documents, queries, unrelated } = meanings({ intents: 40, each: 12, field, noise: 0.8 });
      const background = measureBackground(documents, measureSpace(unrelated));
      const candidates = documents.map((document) => prepare(document, background));
      const intents = new Map(documents.map(({ text, intent }) => [text, intent]));
      let right = 0;
      let wrong = 0;
      for (const query of queries) {
        const asked = prepare(query, background);
        const order = candidates.toSorted((x, y) => relevance(asked, y) - relevance(asked, x)).slice(0, 300);
        sameIntent(asked, order).forEach((score, at) => {
          if (score < 0.5) return;
          if (intents.get(order[at]?.key ?? "") === query.intent) right += 1;
          else wrong += 1;
        });
      }
      expect(right / (queries.length * 12)).toBeGreaterThan(1 / 3);
      expect(wrong / queries.length).toBeLessThanOrEqual(1);
    },
  );

  it("matches nothing when nothing of the kind is stored", async () => {
    const found = await scores("who painted the ceiling of the chapel", documentsOf(3));
    expect([...found.values()].filter((score) => score >= 0.5)).toEqual([]);
  });

  it.each([0, 1, 2, 5])(
    "is sensible with %i documents: near copies match, the rest does not",
    async (count) => {
      const others = UNRELATED_REQUESTS.slice(0, count);
      const found = await scores("send the quarterly report to the whole team", [
        ...others,
        "please send the quarterly report to the whole team",
      ]);
      for (const other of others) expect(found.get(normalise(other))).toBeLessThan(0.2);
      expect(found.get("please send the quarterly report to the whole team")).toBeGreaterThan(0.5);
    },
  );

  it("does not let a single intent that fills a tenant define what is unrelated", async () => {
    const kind = Array.from({ length: 30 }, (_, n) => `heat potato number ${n} and put it on the table`);
    const found = await scores("heat potato number 77 and put it on the table", kind);
    expect([...found.values()].filter((score) => score >= 0.5).length).toBeGreaterThan(20);
    const other = await scores("what is the capital of Peru", kind);
    expect([...other.values()].every((score) => score < 0.2)).toBe(true);
  });

  it("gives documents of equal text equal scores and lets them count once", async () => {
    const documents = documentsOf(2);
    const once = await scores("please cancel the parcel of ours", documents);
    const often = await scores("please cancel the parcel of ours", [
      ...documents,
      ...documents,
      ...documents,
    ]);
    expect(often).toEqual(once);
  });

  it("is the same again, in whatever order the documents came", async () => {
    const documents = documentsOf(3);
    const first = await scores("find the lamp that is mine", documents);
    const again = await scores("find the lamp that is mine", documents.toReversed());
    for (const [key, score] of first) expect(again.get(key)).toBeCloseTo(score, 12);
  });

  it("ranks what shares rare words before what shares common ones", async () => {
    const documents = [...documentsOf(5), "restart the flux capacitor", "please find the thing of mine"];
    const background = await tenant(documents);
    const [asked, rare, common] = await prepared(
      [
        "please look at the flux capacitor of mine",
        "restart the flux capacitor",
        "please find the thing of mine",
      ],
      background,
    );
    if (asked === undefined || rare === undefined || common === undefined) throw new Error("not prepared");
    expect(relevance(asked, rare)).toBeGreaterThan(relevance(asked, common));
  });

  it("takes text without words, and any language", async () => {
    for (const text of ["", "!?", "予約をキャンセルしたい", "🙂", "x".repeat(100_000)]) {
      for (const [, score] of await scores(text, ["!", "予約をキャンセル", "cancel the booking"])) {
        expect(Number.isFinite(score)).toBe(true);
      }
    }
  });

  it("scores 300 candidates in a few milliseconds by themselves, and in well under a second with their neighbours", async () => {
    const documents = Array.from(
      { length: 300 },
      (_, n) => `${WAYS[n % 5]?.("cancel", `thing ${n}`)} ${n * 7}`,
    );
    const background = await tenant(documents);
    const [asked, ...candidates] = await prepared(["cancel thing 12", ...documents], background);
    if (asked === undefined) throw new Error("no query");
    const time = (work: () => void) => {
      work();
      const started = performance.now();
      work();
      return performance.now() - started;
    };
    expect(time(() => candidates.map((candidate) => relevance(asked, candidate)))).toBeLessThan(20);
    expect(time(() => sameIntent(asked, candidates))).toBeLessThan(500);
  });
});
