import { describe, expect, it } from "vitest";
import { intentOf } from "../../src/domain/intent.ts";
import { countGaps, gapsBy, shapeIntent, varyingWords } from "../../src/domain/shape.ts";

const shaped = (text: string, varying: readonly string[] = []) => {
  const { shape, gaps } = shapeIntent(intentOf(text), new Set(varying));
  return [shape.text, ...gaps];
};

describe("the shape of a request", () => {
  it("leaves out numbers, ids, quotes, addresses, paths and placeholders", () => {
    expect(shaped("refund order 4411")).toEqual(["refund order …", "4411"]);
    expect(shaped("send <email_1> the file /var/log/app.log")).toEqual([
      "send … the file …",
      "<email_1>",
      "/var/log/app.log",
    ]);
    expect(shaped('rename "old name" to "new name"')).toEqual(["rename … to …", '"old name"', '"new name"']);
    expect(shaped("meet at 14:30 in room B-12")).toEqual(["meet at … in room …", "14:30", "B-12"]);
  });

  it("leaves out words that are known to vary, in any number, and joins those side by side", () => {
    expect(shaped("water the tall roses in the greenhouse", ["rose", "tall", "greenhouse"])).toEqual([
      "water the … in the …",
      "tall roses",
      "greenhouse",
    ]);
  });

  it("keeps the words of a request that has nothing but values", () => {
    expect(shaped("4411")).toEqual(["4411"]);
    expect(shaped("")).toEqual([""]);
  });

  it("is the same for requests that differ in their values alone", () => {
    const id = (text: string) => shapeIntent(intentOf(text), new Set()).shape.shapeId;
    expect(id("refund order 4411")).toBe(id("Refund order 7!"));
    expect(id("refund order 4411")).not.toBe(id("cancel order 4411"));
  });
});

describe("words that vary", () => {
  it("are those that were values in a good share of the requests they stood in", () => {
    const asked = new Map([
      ["mug", 10],
      ["heat", 50],
    ]);
    expect(
      varyingWords(
        asked,
        new Map([
          ["mug", 8],
          ["heat", 2],
        ]),
      ),
    ).toEqual(new Set(["mug"]));
  });
});

describe("a request held against a shape", () => {
  it("gives what stands in the gaps, also words that nobody has seen before", () => {
    expect(gapsBy("water the … in the ….", "Water the hydrangea in the rockery")).toEqual([
      "hydrangea",
      "rockery",
    ]);
    expect(gapsBy("refund order …", "refund order A-5120")).toEqual(["A-5120"]);
  });

  it("gives nothing when it is worded otherwise", () => {
    expect(gapsBy("water the … in the …", "pour water on the rose")).toBeNull();
    expect(gapsBy("refund order …", "refund order")).toBeNull();
    expect(gapsBy("no gap at all", "no gap at all")).toBeNull();
    expect(gapsBy("… and …", `${"x".repeat(500)} and y`)).toBeNull();
  });

  it("takes time in proportion to the text, however it is made", () => {
    const shape = "… a … a … a … a … a … b";
    const begun = performance.now();
    expect(gapsBy(shape, "a ".repeat(50_000))).toBeNull();
    expect(performance.now() - begun).toBeLessThan(500);
    expect(countGaps(shape)).toBe(6);
  });
});
