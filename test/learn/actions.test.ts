import { describe, expect, test } from "vitest";
import type { Action } from "../../src/domain/action.ts";
import { readQuery } from "../../src/learn/actions/query-words.ts";
import { parseActions, parseDecision } from "../../src/learn/parse-actions.ts";

function parse(decision: string, query = ""): Action[] {
  return parseActions(decision, readQuery(query));
}

function only(decision: string, query = ""): Action {
  const actions = parse(decision, query);
  expect(actions).toHaveLength(1);
  const [action] = actions;
  if (action === undefined) throw new Error("no action");
  return action;
}

describe("a tool call is recognised however it is written", () => {
  test.each([
    ["json with arguments", '{"name":"find_room","arguments":{"floor":3,"beds":2}}', "json"],
    [
      "json with arguments as a string",
      '{"tool":"find_room","input":"{\\"floor\\":3,\\"beds\\":2}"}',
      "json",
    ],
    ["arguments beside the name", '{"tool":"find_room","floor":3,"beds":2}', "json"],
    [
      "OpenAI tool calls",
      '[{"id":"x","type":"function","function":{"name":"find_room","arguments":"{\\"beds\\":2,\\"floor\\":3}"}}]',
      "json",
    ],
    ["a call with an object", 'find_room({"floor": 3, "beds": 2})', "call"],
    ["a call with named arguments", "find_room(floor=3, beds=2)", "call"],
    [
      "json inside a tag",
      '<tool_call>{"name":"find_room","arguments":{"floor":3,"beds":2}}</tool_call>',
      "json",
    ],
    [
      "json inside a fence",
      'I look it up.\n```json\n{"name":"find_room","arguments":{"floor":3,"beds":2}}\n```',
      "json",
    ],
    [
      "ReAct with its input apart",
      'Thought: a room is needed\nAction: find_room\nAction Input: {"floor": 3, "beds": 2}\nObservation:',
      "call",
    ],
    ["ReAct in one line", "Thought: a room is needed\nAction: find_room(floor=3, beds=2)", "call"],
    ["a call on a line of its own amid prose", "First the room.\nfind_room(floor=3, beds=2)", "call"],
  ])("%s", (_, decision, form) => {
    const action = only(decision);
    expect(action.form).toBe(form);
    expect(action.signature).toBe("find_room(beds={number}, floor={number})");
  });

  test("a tag with named parameters is a call with these arguments", () => {
    const action = only(
      '<invoke name="rename"><parameter name="path">a/b.txt</parameter><parameter name="to">report</parameter></invoke>',
    );
    expect(action.signature).toBe("rename(path={path}, to={word})");
  });

  test("a tag per tool and a tag per argument is a call", () => {
    expect(only("<read_file><path>src/a.ts</path></read_file>").signature).toBe("read_file(path={path})");
  });

  test("several calls of one decision are all kept, in order", () => {
    const decision =
      '{"tool_calls":[{"function":{"name":"first","arguments":"{}"}},{"function":{"name":"second","arguments":"{}"}}]}';
    expect(parse(decision).map((action) => action.verb)).toEqual(["first", "second"]);
  });

  test("nested arguments keep the path to each value", () => {
    const action = only(
      'book({"guests":[{"name":"Ada","age":36},{"name":"Bob","age":40}],"pay":{"card_id":"KLMNOP"}})',
    );
    expect(action.signature).toBe("book(guests[].age={number}, guests[].name={word}, pay.card_id={id})");
  });

  test("positional arguments stay in their order, and quoted digits name something", () => {
    expect(only("fill('12', 'two words', 7)").signature).toBe("fill({id}, {word}, {number})");
  });

  test("square brackets hold one value", () => {
    const action = only("search[garden chairs, green]", "I want green chairs for my garden");
    expect(action).toMatchObject({ form: "bracket", verb: "search", signature: "search({query})" });
  });

  test("two calls in one sentence are not one call", () => {
    expect(only("sum(1) differs from max(2)").form).not.toBe("call");
  });
});

describe("shell and code", () => {
  test("the subcommand belongs to the tool and flags are argument names", () => {
    const action = only("$ git push --force origin main");
    expect(action).toMatchObject({ form: "shell", verb: "git push" });
    expect(action.signature).toBe("git push({word}, {word}, --force={boolean})");
  });

  test("a plain command line is a shell command and a pipe only shapes its output", () => {
    expect(only("grep -rn TODO src/ | sort | head -5").signature).toBe("grep({word}, {path}, -rn={boolean})");
  });

  test("commands joined by && are separate actions", () => {
    expect(parse("```bash\ncd app && npm install\nnpm test # all\n```").map((action) => action.verb)).toEqual(
      ["cd", "npm install", "npm test"],
    );
  });

  test("everyday verbs that are also programs need a sign of a shell", () => {
    expect(only("find the red key").form).toBe("command");
    expect(only("find . -name '*.md'").form).toBe("shell");
  });

  test("a program is known by what it calls", () => {
    const action = only("Let us compute it.\n```python\nimport math\nprint(math.sqrt(load_table('x')))\n```");
    expect(action).toMatchObject({ form: "code", verb: "run python" });
    expect(action.text).toBe("run python(calls=load_table, calls=math.sqrt)");
  });
});

describe("commands of text worlds", () => {
  test("nouns stay, numbers become instances, prepositions name the rest", () => {
    const action = only("take lantern 2 from wooden crate 14");
    expect(action.slots).toMatchObject([
      { name: "object", type: "thing", kind: "lantern", instance: "2" },
      { name: "from", type: "thing", kind: "wooden crate", instance: "14" },
    ]);
    expect(action.signature).toBe("take {thing} from {thing}");
    expect(action.text).toBe("take lantern from wooden crate");
  });

  test("what the query names becomes a slot that a new query can fill", () => {
    const action = only("put lantern 2 in/on shelf 1", "place two lanterns near the door");
    expect(action.template).toBe("put {query:lantern} in/on shelf");
    expect(action.signature).toBe("put {query} in/on {thing}");
  });

  test("singular and plural of a word are one word", () => {
    expect(only("find lanterns", "bring me a lantern").template).toBe("find {query:lanterns}");
  });

  test("a particle belongs to the verb", () => {
    expect(only("go to cellar 1").verb).toBe("go to");
    expect(only("turn on radio 1").verb).toBe("turn on");
  });
});

describe("prose", () => {
  test.each([
    ["Could you tell me your booking number?", "ask"],
    ["Please provide the date of your stay.", "ask"],
    ["Hello! Thank you for calling.", "say"],
    ["The answer is forty-two.", "say"],
    ["Paris", "say"],
    ["DONE", "say"],
    ["今日は晴れです。", "say"],
  ])("%s is talk, not an action", (decision, verb) => {
    expect(only(decision)).toMatchObject({ form: "speech", verb });
  });

  test("an announced step keeps its verb and object", () => {
    expect(only("I will now open the settings page.").text).toBe("open settings page");
  });

  test("a speaker in front is not part of the decision", () => {
    expect(parseDecision("[Planner] look around", readQuery(""))).toMatchObject({
      speaker: "Planner",
      body: "look around",
    });
  });

  test("a blank decision holds no action", () => {
    expect(parse(" \n\t")).toEqual([]);
  });
});

describe("values are typed", () => {
  test.each([
    ["2031-04-05", "date"],
    ["May 27", "date"],
    ["https://a.test/x?y=1", "url"],
    ["ada@mail.test", "email"],
    ["<email_1>", "placeholder"],
    ["/var/log/syslog", "path"],
    ["ZX81QQ", "id"],
    ["usr_004_k", "id"],
    ["blue", "word"],
    ["a sentence with more than a few words in it", "text"],
    ["true", "boolean"],
  ])("%s is %s", (value, type) => {
    expect(only(JSON.stringify({ name: "t", arguments: { v: value } })).slots[0]?.type).toBe(type);
  });

  test("a value from the query says which words it took", () => {
    const action = only('book({"city":"Lisbon","code":"QX17Z"})', "a trip to Lisbon for me");
    expect(action.slots.map((slot) => slot.fromQuery)).toEqual([["lisbon"], []]);
    expect(action.template).toBe("book(city={query:lisbon}, code={id})");
  });
});
