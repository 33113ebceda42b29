import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Interaction, Turn } from "../../src/domain/interaction.ts";
import { readQuery } from "../../src/learn/actions/query-words.ts";
import { analyse } from "../../src/learn/analyse.ts";
import { parseActions } from "../../src/learn/parse-actions.ts";

const SEEDED = { seed: 20_260_101, numRuns: 300 };

/** Text made of the pieces that the parsers look for, in any order: far nastier than random letters. */
const pieces = fc.constantFrom(
  ..."{ } [ ] ( ) \" ' ` ``` <tool> </tool> <a name= Action: Input: : , = \\ \n $ | && -- /x/ error: exit code: 1 1 42 name open take from \u0000 \ud800 é 漢字 👩‍🚀".split(
    " ",
  ),
);
const nasty = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(" "));
const text = fc.oneof(nasty, fc.string({ unit: "binary", maxLength: 200 }), fc.json());

const upload: fc.Arbitrary<Interaction> = fc.record({
  query: text,
  turns: fc.array(
    fc.record({
      turn: fc.oneof(fc.integer(), fc.bigInt()),
      inputs: text,
      decision: text,
      memory: fc.constant(null),
      result: fc.option(text),
    }),
    { maxLength: 12 },
  ),
  success: fc.constantFrom(true, false, null),
  agentType: fc.constant(null),
  timestamp: fc.constant(null),
  metadata: fc.constant(null),
});

describe("whatever is uploaded", () => {
  test("a decision never makes the parser throw", () => {
    fc.assert(
      fc.property(text, text, (decision, query) => {
        for (const action of parseActions(decision, readQuery(query))) {
          expect(action.verb.length).toBeLessThanOrEqual(80);
          expect(action.slots.length).toBeLessThanOrEqual(40);
        }
      }),
      SEEDED,
    );
  });

  test("an upload is analysed to plain data, the same each time, and its evidence is within the upload", () => {
    fc.assert(
      fc.property(upload, (interaction) => {
        const analysis = analyse(interaction);
        expect(JSON.stringify(analyse(interaction))).toBe(JSON.stringify(analysis));
        const cited = [
          ...analysis.recoveries.flatMap((recovery) => [
            ...recovery.failed,
            recovery.fixed,
            ...recovery.between,
          ]),
          ...analysis.facts.flatMap((fact) => fact.turns),
          ...analysis.preconditions.flatMap((precondition) => precondition.turns),
          ...analysis.workingSteps.map((step) => step.index),
          ...(analysis.mistake === null ? [] : [analysis.mistake.index]),
        ];
        for (const index of cited) expect(interaction.turns[index]).toBeDefined();
      }),
      SEEDED,
    );
  });
});

describe("time grows with the size of the text, not faster", () => {
  const MEGABYTE = 1_000_000;
  test.each([
    ["one long word", "a"],
    ["digits", "7"],
    ["open brackets", "["],
    ["open braces and quotes", '{"'],
    ["open parentheses", "f("],
    ["quotes", "'\""],
    ["backticks", "`"],
    ["unclosed tags of many names", "<a><b><cd>"],
    ["spaces", " "],
    ["blank lines", "\n"],
    ["labels", "Action:\n"],
    ["labels in one line", "Action: "],
    ["dots and ats", ".@"],
    ["pipes", "| a "],
    ["errors", "Error: E "],
    ["dashes", "- "],
    ["nulls", "\u0000"],
  ])("a megabyte of %s is read in well under a second", (_, unit) => {
    const hostile = unit.repeat(Math.ceil(MEGABYTE / unit.length));
    const turn: Turn = { turn: 1, inputs: hostile, decision: `go ${hostile}`, memory: null, result: hostile };
    const started = performance.now();
    analyse({
      query: hostile,
      turns: [turn, { ...turn, decision: hostile }],
      success: false,
      agentType: null,
      timestamp: null,
      metadata: null,
    });
    expect(performance.now() - started).toBeLessThan(500);
  });

  test("ten megabytes in two thousand turns are read in a second or two on a busy machine", () => {
    const page = "Item 42: a chair [A-42], price: 17.50. See https://shop.test/a for more.\n".repeat(34);
    const turns = Array.from({ length: 2_000 }, (_, at): Turn => {
      const result = `${page}${at}`;
      return {
        turn: at,
        inputs: page,
        decision: `I look.\nopen_page(id='A-${at}', n=${at % 7})`,
        memory: null,
        result,
      };
    });
    const started = performance.now();
    analyse({
      query: "find a chair",
      turns,
      success: false,
      agentType: null,
      timestamp: null,
      metadata: null,
    });
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});
