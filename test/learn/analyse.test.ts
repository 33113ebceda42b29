import { describe, expect, test } from "vitest";
import type { Analysis, ErrorSignature } from "../../src/domain/analysis.ts";
import type { Interaction, Turn } from "../../src/domain/interaction.ts";
import { readQuery } from "../../src/learn/actions/query-words.ts";
import { analyse, concludeAnalysis } from "../../src/learn/analyse.ts";
import { readTurn } from "../../src/learn/read-turn.ts";

type Step = readonly [decision: string, result: string | null];

/** A run as an agent would upload it: each turn sees what the last one brought. */
function run(query: string, steps: readonly Step[], success: boolean | null = true): Interaction {
  const turns = steps.map(([decision, result], at): Turn => ({
    turn: at + 1,
    inputs: at === 0 ? query : (steps[at - 1]?.[1] ?? ""),
    decision,
    memory: null,
    result,
  }));
  return { query, turns, success, agentType: null, timestamp: null, metadata: null };
}

function outcomes(analysis: Analysis): string[] {
  return analysis.turns.map((turn) => turn.outcome);
}

describe("outcomes", () => {
  test("a result that says so, an empty one and an error are told from one that worked", () => {
    const analysis = analyse(
      run("find a room", [
        ["find_room(floor=1)", "[]"],
        ["find_room(floor=99)", "Error: floor 99 does not exist"],
        ["find_room(floor=2)", '[{"room":"B-204"}]'],
        ["hold_room(room='B-204')", null],
      ]),
    );
    expect(outcomes(analysis)).toEqual(["useless", "error", "effective", "unknown"]);
  });

  test("an answer that is the same whatever one does is found to mean nothing, in any language", () => {
    const analysis = analyse(
      run("get the lamp", [
        ["take lamp 1 from box 1", "Es tut sich rein gar nichts."],
        ["open box 1", "Es tut sich rein gar nichts."],
        ["push wall 2", "Es tut sich rein gar nichts."],
        ["go to box 1", "You stand at the box 1. On it is a lamp 1."],
      ]),
    );
    expect(analysis.turns.map((turn) => turn.useless)).toEqual([
      "same answer to anything",
      "same answer to anything",
      "same answer to anything",
      null,
    ]);
    expect(analysis.noopShapes).toEqual([
      { shape: "Es tut sich rein gar nichts.", actions: 3, turns: [0, 1, 2] },
    ]);
  });

  test("a shape that the tenant has learned is useless at its first sight", () => {
    const upload = run("get the lamp", [["open box 1", "Hm."]]);
    expect(outcomes(analyse(upload))).toEqual(["effective"]);
    expect(outcomes(analyse(upload, { noopShapes: new Set(["Hm."]) }))).toEqual(["useless"]);
  });

  test("a person who says that something cannot be done is no error of the question", () => {
    const analysis = analyse(
      run("cancel my order", [["Could you give me your order number?", "I cannot find it, sorry."]]),
    );
    expect(analysis.turns[0]).toMatchObject({ role: "speak", outcome: "effective", error: null });
  });

  test("a page that mentions errors in passing is no error", () => {
    const page = `Handbook. ${"All about parcels and how they travel. ".repeat(20)} Deliveries cannot be refused.`;
    expect(outcomes(analyse(run("read", [["open_page(n=1)", page]])))).toEqual(["effective"]);
  });

  test("in a log of several speakers the machine's report is the result of the turn before it", () => {
    const analysis = analyse(
      run("count", [
        ["[Coder] ```python\ncount_rows('a.csv')\n```", null],
        [
          "[Executor] exit code: 1\nTraceback (most recent call last):\nFileNotFoundError: no file 'a.csv'",
          null,
        ],
      ]),
    );
    expect(analysis.turns[0]).toMatchObject({
      role: "act",
      outcome: "error",
      error: { class: "FileNotFoundError" },
    });
    expect(analysis.turns[1]).toMatchObject({ role: "report", actions: [] });
  });
});

function signature(result: string): ErrorSignature | null | undefined {
  return analyse(run("q", [["call_it(a=1)", result]])).turns[0]?.error;
}

describe("error signatures", () => {
  test("the same error of two tasks is one", () => {
    const shapes = ["Error: room 'B-204' is taken until 17:00", "Error: room 'C-9' is taken until 9:30"].map(
      (result) => analyse(run("q", [["hold_room(room='x')", result]])).turns[0]?.error?.shape,
    );
    expect(shapes[0]).toBe("room {text} is taken until #:#");
    expect(shapes[1]).toBe(shapes[0]);
  });

  test("class and code make it more specific than a bare complaint", () => {
    expect(signature("HTTP 404 Not Found")).toMatchObject({ class: "http", code: "404" });
    expect(signature("ValueError: size must be positive, got -3")).toMatchObject({
      class: "ValueError",
      specificity: 3,
    });
    expect(signature("failed")).toMatchObject({ class: null, specificity: 0 });
    expect(signature("exit code: 0\nwarnings: 2, errors: none, all failed retries recovered")).toBeNull();
  });
});

describe("recoveries", () => {
  test("the difference of the arguments is the fix", () => {
    const analysis = analyse(
      run("hold a room", [
        ['hold_room({"room":"B-204","hours":9})', "Error: hours must be at most 4"],
        ["Shall I make it shorter?", "Yes, please."],
        ['hold_room({"room":"B-204","hours":4})', "Held until noon"],
      ]),
    );
    expect(analysis.recoveries).toMatchObject([
      { failed: [0], fixed: 2, how: "arguments", changes: [{ name: "hours", before: "9", after: "4" }] },
    ]);
  });

  test("the same call that works after another step makes that step a candidate precondition", () => {
    const analysis = analyse(
      run("send the report", [
        ["send_report(id='R-77')", "Error: not signed in"],
        ["sign_in(user='ada')", "Welcome, ada"],
        ["send_report(id='R-77')", "Report R-77 was sent"],
      ]),
    );
    expect(analysis.recoveries[0]).toMatchObject({ how: "preparation", between: [1] });
    expect(analysis.preconditions[0]).toMatchObject({
      needs: "sign_in(user=ada)",
      why: "failed before it, worked after it",
      turns: [0, 1, 2],
    });
  });
});

describe("going round in circles", () => {
  test("the same action with the same result three times is a loop", () => {
    const same: Step = ["open_page(n=4)", "The page is being built, one moment please."];
    const analysis = analyse(
      run("q", [["start(a=1)", "Started the a=1 thing"], same, same, same, same], false),
    );
    expect(analysis.loops).toMatchObject([{ from: 1, to: 4, period: 1, times: 4 }]);
  });

  test("to and fro is a loop of two, found once", () => {
    const steps: Step[] = Array.from({ length: 8 }, (_, at) => [`tab_focus(${at % 2})`, null]);
    expect(analyse(run("q", steps, false)).loops).toMatchObject([{ from: 0, to: 7, period: 2, times: 4 }]);
  });

  test("the same action with news each time is no loop", () => {
    const steps: Step[] = ["red", "green", "blue"].map((colour) => [
      "next_card()",
      `The next card is ${colour}`,
    ]);
    expect(analyse(run("q", steps)).loops).toEqual([]);
  });

  test("three failures of one tool with no success between are a burst", () => {
    const steps: Step[] = [1, 2, 3].map((n) => [`pay(card='C-${n}')`, `Error: card C-${n} was declined`]);
    expect(analyse(run("q", steps, false)).bursts).toMatchObject([{ verb: "pay", turns: [0, 1, 2] }]);
  });

  test("a way back to a page seen before marks what lies between as a detour", () => {
    const list = "Results: [A-11] a blue chair, [A-12] a green chair, [A-13] a stool";
    const analysis = analyse(
      run("a green chair", [
        ["search[green chair]", list],
        ["click[A-11]", "A blue chair with arms. [Back] [Buy]"],
        ["click[Back]", list],
        ["click[A-12]", "A green chair without arms. [Back] [Buy]"],
        ["click[Buy]", "Thank you for your order."],
      ]),
    );
    expect(analysis.backtracks).toEqual([{ from: 0, to: 2 }]);
    expect(analysis.workingSteps.map((step) => step.index)).toEqual([0, 3, 4]);
  });
});

describe("what a run teaches", () => {
  const found = run("put a warm brick in the chest", [
    ["go to barrel 1", "At the barrel 1 you see a rope 1."],
    ["open barrel 2", "Nothing happens."],
    ["go to chest 1", "The chest 1 is open."],
    ["go to shelf 3", "On the shelf 3 you see a brick 2 and a jar 1."],
    ["take brick 2 from shelf 3", "You hold the brick 2."],
    ["go to oven 1", "The oven 1 is hot."],
    ["warm brick 2 with oven 1", "The brick 2 is warm."],
    ["go to chest 1", "The chest 1 is open."],
    ["put brick 2 in/on chest 1", "The brick 2 lies in the chest 1."],
  ]);

  test("working steps leave out the search and what had no effect", () => {
    expect(analyse(found).workingSteps.map((step) => step.action.text)).toEqual([
      "go to shelf",
      "take brick from shelf",
      "go to oven",
      "warm brick with oven",
      "go to chest",
      "put brick in/on chest",
    ]);
  });

  test("facts say where kinds of things were found and what they were used with", () => {
    const facts = analyse(found).facts.map((fact) =>
      fact.kind === "place" ? `${fact.subject} ${fact.relation} ${fact.object}` : "",
    );
    expect(facts).toEqual(
      expect.arrayContaining([
        "rope at barrel",
        "jar at shelf",
        "brick from shelf",
        "brick with oven",
        "brick in/on chest",
      ]),
    );
  });

  test("an argument that stood in an earlier result says where to get it", () => {
    const analysis = analyse(
      run("cancel my last order", [
        ["get_customer(name='Ada')", '{"name":"Ada","orders":[{"order_id":"QX-1077"}]}'],
        ["cancel_order(id='QX-1077')", "Order QX-1077 is cancelled"],
      ]),
    );
    expect(analysis.facts).toEqual([
      {
        kind: "flow",
        key: "order_id",
        value: "QX-1077",
        from: "get_customer",
        to: "cancel_order",
        argument: "id",
        turns: [0, 1],
      },
    ]);
    expect(analysis.preconditions).toMatchObject([
      { action: "cancel_order", needs: "get_customer", why: "uses its result" },
    ]);
    expect(analysis.workingSteps.map((step) => step.action.verb)).toEqual(["get_customer", "cancel_order"]);
  });

  test("talk is never a working step", () => {
    const analysis = analyse(
      run("q", [
        ["Hello, how can I help you?", "Cancel it"],
        ["cancel(id='A-1')", "Cancelled A-1"],
        ["You are welcome!", null],
      ]),
    );
    expect(analysis.workingSteps.map((step) => step.action.verb)).toEqual(["cancel"]);
  });
});

function chat(success: boolean | null): Interaction {
  return run(
    "How many bridges of Utrecht are older than the town hall?",
    [
      [
        "[Planner] We look up the bridges of Utrecht and the year of the town hall, then count the older bridges.",
        null,
      ],
      [
        "[Expert] Here are the years: assume the hall is of 1826 and, from my knowledge, bridges of 1520, 1636, 1710, 1790.",
        null,
      ],
      ["[Checker] That sounds right to me.", null],
      ["[Checker] TERMINATE", null],
    ],
    success,
  );
}

describe("the mistake", () => {
  test("is sought only when the run is known to have failed", () => {
    expect(analyse(chat(true)).mistake).toBeNull();
    expect(analyse(chat(null)).mistake).toBeNull();
  });

  test("is the turn that works with made-up data, and says why", () => {
    const mistake = analyse(chat(false)).mistake;
    expect(mistake).toMatchObject({ index: 1, turn: 2 });
    expect(mistake?.reasons).toContain("it states figures that nothing before it showed");
  });

  test("is the program that failed first when there is one", () => {
    const analysis = analyse(
      run(
        "What is the mean of the column size?",
        [
          ["[Planner] The mean of the column size is asked; load the table and compute it.", null],
          ["[Coder] ```python\nload('missing.csv')\n```", null],
          ["[Executor] exit code: 1\nFileNotFoundError: missing.csv", null],
          ["[Coder] Let us think about it again.", null],
          ["[Coder] TERMINATE", null],
        ],
        false,
      ),
    );
    expect(analysis.mistake?.index).toBe(1);
  });
});

describe("any upload can be read", () => {
  test("turns count in upload order, and numbers that repeat or overflow are only labels", () => {
    const upload = run(
      "q",
      [
        ["a(x=1)", "one x=1"],
        ["b(x=1)", "two x=1"],
        ["c(x=1)", null],
      ],
      false,
    );
    const numbers = [7n ** 40n, 3, 3];
    const turns = upload.turns.map((turn, at) => ({ ...turn, turn: numbers[at] ?? 0 }));
    const analysis = analyse({ ...upload, turns });
    expect(analysis.turns.map((turn) => turn.actions[0]?.verb)).toEqual(["a", "b", "c"]);
    expect(analysis.turns.map((turn) => turn.turn)).toEqual([(7n ** 40n).toString(), 3, 3]);
    expect(JSON.parse(JSON.stringify(analysis))).toEqual(analysis);
  });

  test("no turns, or blank ones, leave nothing to learn and nothing to blame", () => {
    expect(analyse(run("q", [], false))).toMatchObject({ turns: [], mistake: null, workingSteps: [] });
    expect(
      analyse(
        run(
          "",
          [
            ["", null],
            ["  ", ""],
          ],
          false,
        ),
      ),
    ).toMatchObject({ mistake: null, workingSteps: [] });
  });

  test("reading turn by turn gives the same as reading at once", () => {
    const upload = run(
      "a chair",
      [
        ["search[chair]", "[A-1] chair"],
        ["click[A-1]", "A chair."],
      ],
      null,
    );
    const query = readQuery(upload.query);
    const readings = upload.turns.map((_, index) => readTurn(upload.turns, index, query));
    expect(concludeAnalysis(null, query, readings)).toEqual(analyse(upload));
  });
});
