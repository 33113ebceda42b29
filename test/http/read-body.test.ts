import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../src/http/reading/limits.ts";
import { bodyTooLarge, readBody } from "../../src/http/reading/read-body.ts";
import { AgentInput, AgentKnowledgeUpload } from "../../src/http/interface/schemas.ts";
import { uploadedInteraction } from "../../src/http/interface/uploaded-interaction.ts";

const TASK = '{"tenant_id":"k","input_text":"Füge 😀 ein"}';
const TASK_VALUE = { tenant_id: "k", input_text: "Füge 😀 ein", context: {}, agent_type: null };

function task(body: string | Uint8Array, contentType: string | undefined = "application/json") {
  return readBody(AgentInput, Buffer.from(body), contentType, DEFAULT_LIMITS);
}

function upload(fields: string, limits = DEFAULT_LIMITS) {
  const body = Buffer.from(`{"tenant_id":"k","query":"q",${fields}}`);
  return readBody(AgentKnowledgeUpload, body, "application/json", limits);
}

/** Type and place of each problem. */
function problems(answer: ReturnType<typeof task> | ReturnType<typeof upload>) {
  if (answer.ok || typeof answer.body.detail === "string") return answer;
  return answer.body.detail.map(({ type, loc }) => `${type} ${loc.join(".")}`);
}

function isEchoed(inputText: string): boolean {
  return JSON.stringify(task(`{"tenant_id":"k","input_text":${inputText}}`)).includes('"input"');
}

function emptyLists(count: number): string {
  return `"turns":[],"x":[${Array.from({ length: count }, () => "[ ]").join(",")}]`;
}

const UNPARSABLE = { ok: false, status: 400, body: { detail: "There was an error parsing the body" } };

describe("a body that fits the schema", () => {
  it("has its absent fields filled in and its unknown ones dropped", () => {
    expect(task('{"input_text":"t","zzz":[1],"tenant_id":"k"}')).toEqual({
      ok: true,
      value: { tenant_id: "k", input_text: "t", context: {}, agent_type: null },
    });
  });

  it("does not share its filled-in context with the next", () => {
    const [first, second] = [task(TASK), task(TASK)];
    expect(first).toEqual(second);
    expect(first.ok && second.ok && first.value.context === second.value.context).toBe(false);
  });

  it("becomes an interaction", () => {
    const read = upload(
      '"turns":[{"turn":"1_0","inputs":"i","decision":"d","result":"r"}],"success":"yes","timestamp":0,"metadata":{"n":12345678901234567890}',
    );
    expect(read.ok && uploadedInteraction(read.value)).toEqual({
      query: "q",
      turns: [{ turn: 10, inputs: "i", decision: "d", memory: null, result: "r" }],
      success: true,
      agentType: null,
      timestamp: "1970-01-01T00:00:00+00:00",
      metadata: { n: 12345678901234567890n },
    });
  });

  it("may lack what is optional", () => {
    const read = upload('"turns":[]');
    expect(read.ok && uploadedInteraction(read.value)).toMatchObject({ success: null, timestamp: null });
  });

  it("has the last of several equal keys", () => {
    expect(task('{"tenant_id":1,"tenant_id":"k","input_text":"t"}')).toMatchObject({ ok: true });
  });

  it("may use the key __proto__ without becoming something else", () => {
    const read = task(
      '{"tenant_id":"k","input_text":"t","__proto__":{"agent_type":"x"},"context":{"__proto__":"v"}}',
    );
    expect(read.ok && read.value.agent_type).toBeNull();
    expect(read.ok && Object.entries(read.value.context)).toEqual([["__proto__", "v"]]);
  });

  it("has U+FFFD where surrogates lack their other half", () => {
    const read = task(
      '{"tenant_id":"k","input_text":"\\ud83d\\ude00 \\ud83d \\\\ud83d \\uDE00\\uD83D","context":{"\\udead":"v"}}',
    );
    expect(read.ok && read.value.input_text).toBe("😀 \ufffd \\ud83d \ufffd\ufffd");
    expect(read.ok && read.value.context).toEqual({ "\ufffd": "v" });
  });

  it("tells 1e20, a float beyond 64 bits, from the integer of the same value", () => {
    expect(problems(upload('"turns":[{"turn":1e20,"inputs":"","decision":""}]'))).toEqual([
      "int_parsing_size body.turns.0.turn",
    ]);
    expect(upload('"turns":[{"turn":100000000000000000000,"inputs":"","decision":""}]')).toMatchObject({
      value: { turns: [{ turn: 100000000000000000000n }] },
    });
  });
});

describe("the encoding of a body", () => {
  const utf16 = Buffer.from(TASK, "utf16le");
  const utf32 = Buffer.concat(
    Array.from(TASK, (character) => {
      const unit = Buffer.alloc(4);
      unit.writeUInt32LE(character.codePointAt(0) ?? 0);
      return unit;
    }),
  );

  it.each([
    ["UTF-8", Buffer.from(TASK)],
    ["UTF-8 with a mark", Buffer.from(`\ufeff${TASK}`)],
    ["UTF-16", utf16],
    ["UTF-16 with a mark", Buffer.from(`\ufeff${TASK}`, "utf16le")],
    ["big-endian UTF-16", Buffer.from(utf16).swap16()],
    ["big-endian UTF-16 with a mark", Buffer.from(`\ufeff${TASK}`, "utf16le").swap16()],
    ["UTF-32", utf32],
    ["UTF-32 with a mark", Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), utf32])],
    ["big-endian UTF-32", Buffer.from(utf32).swap32()],
  ])("may be %s", (_name, body) => {
    expect(task(body)).toEqual({ ok: true, value: TASK_VALUE });
  });

  it("may hold surrogates in UTF-8, which are replaced", () => {
    const body = Buffer.from(TASK.replace("ü", "\u0001\u0001\u0001")).map((byte) => byte);
    const at = body.indexOf(1);
    body.set([0xed, 0xa0, 0x80], at);
    expect(task(body)).toMatchObject({ value: { input_text: "F\ufffdge 😀 ein" } });
  });

  it.each([
    ["a stray byte", Buffer.from([0x22, 0xff, 0x22])],
    ["an overlong character", Buffer.from([0x22, 0xc0, 0x80, 0x22])],
    ["half a UTF-16 unit", Buffer.concat([utf16, Buffer.from([0x20])])],
    ["a character beyond Unicode", Buffer.from([0x7b, 0, 0, 0, 0, 0, 0x11, 0])],
    ["three quarters of a UTF-32 unit", utf32.subarray(0, -1)],
    ["gzip", gzipSync(TASK)],
  ])("is not guessed right for %s", (_name, body) => {
    expect(task(body)).toEqual(UNPARSABLE);
  });
});

describe("the content type of a body", () => {
  it.each(["application/json", " Application/JSON ; charset=x", "application/a+json", "", undefined])(
    "%j is JSON",
    (type) => {
      expect(readBody(AgentInput, Buffer.from(TASK), type, DEFAULT_LIMITS).ok).toBe(true);
    },
  );

  it.each(["text/json", "json", "application/json, a/b", "application/json/x", "application/+jsonx"])(
    "%j is not",
    (type) => {
      expect(problems(task(TASK, type))).toEqual(["model_attributes_type body"]);
    },
  );
});

describe("a body that is not an object", () => {
  it.each(["[]", '""', "7", "false"])("%s cannot give fields", (body) => {
    expect(problems(task(body))).toEqual(["model_attributes_type body"]);
  });

  it.each(["", "null"])("%j is missing", (body) => {
    expect(task(body)).toEqual({
      ok: false,
      status: 422,
      body: { detail: [{ type: "missing", loc: ["body"], msg: "Field required", input: null }] },
    });
  });

  it("is not JSON either: the answer says where, in Python's words", () => {
    const detail = {
      type: "json_invalid",
      loc: ["body", 5],
      msg: "JSON decode error",
      input: {},
      ctx: { error: "Expecting value" },
    };
    expect(JSON.stringify(task('{"a":}'))).toBe(
      JSON.stringify({ ok: false, status: 422, body: { detail: [detail] } }),
    );
  });

  it.each(['{"a":NaN}', '{"a":-Infinity}', '{"a":1e400}', '{"a":-1.5E+309}'])(
    "holds a number JSON has not: %s",
    (body) => {
      expect(problems(task(body))).toEqual(["json_invalid body.5"]);
    },
  );

  it("holds an integer that Python would not convert", () => {
    expect(task(`{"a":${"1".repeat(4301)}}`)).toEqual(UNPARSABLE);
  });
});

describe("problems", () => {
  it("come in the order of the fields, then of the items and keys as sent", () => {
    const answer = upload(
      '"metadata":[],"timestamp":null,"agent_type":0,"success":3,"turns":[{"decision":1,"turn":[]},"x",{"inputs":"","decision":"","turn":1,"memory":2,"result":{}}]',
    );
    expect(problems(answer)).toEqual([
      "int_type body.turns.0.turn",
      "missing body.turns.0.inputs",
      "string_type body.turns.0.decision",
      "model_attributes_type body.turns.1",
      "string_type body.turns.2.memory",
      "string_type body.turns.2.result",
      "bool_parsing body.success",
      "string_type body.agent_type",
      "datetime_type body.timestamp",
      "dict_type body.metadata",
    ]);
  });

  it("come in the order of the keys even where JavaScript sorts them", () => {
    const answer = task('{"tenant_id":"k","input_text":"t","context":{"b":1,"20":2,"3":"fine","1":3,"b":4}}');
    expect(problems(answer)).toEqual([
      "string_type body.context.b",
      "string_type body.context.20",
      "string_type body.context.1",
    ]);
  });

  it("are not cut short, short of thousands", () => {
    const turns = Array.from({ length: 2000 }, () => "{}").join(",");
    expect(problems(upload(`"turns":[${turns}]`))).toHaveLength(6000);
    const context = Array.from({ length: 20_000 }, (_, index) => `"k${index}":1`).join(",");
    expect(problems(task(`{"tenant_id":"k","input_text":"t","context":{${context}}}`))).toHaveLength(10_000);
  });

  it("echo what was found, and for a missing field what is around it", () => {
    expect(task('{"agent_type":5,"context":{"a":null}}')).toMatchObject({
      body: {
        detail: [
          { input: { agent_type: 5, context: { a: null } } },
          { input: { agent_type: 5, context: { a: null } } },
          { input: null },
          { input: 5 },
        ],
      },
    });
  });

  it.each([
    ['{"tenant_id":"secret"}'],
    ['{"tenantId":"secret","input_text":"t"}'],
    ['{"TENANT_ID":["secret"]}'],
    ['{"tenant_id":["secret"],"input_text":"t"}'],
    ['[{"deep":{"tenant_id":"secret"}}]'],
    ['"{\\"tenant_id\\":\\"secret\\"}"'],
  ])("never echo a tenant id: %s", (body) => {
    expect(JSON.stringify(task(body))).not.toContain("secret");
    expect(JSON.stringify(task(body, "text/plain"))).not.toContain("secret");
  });

  it("do not echo more than 1 KiB, nor what JSON.stringify cannot write", () => {
    expect(isEchoed(`["${"x".repeat(1000)}"]`)).toBe(true);
    expect(isEchoed(`["${"x".repeat(1024)}"]`)).toBe(false);
    expect(isEchoed(`["${"é".repeat(520)}"]`)).toBe(false);
    expect(isEchoed("12345678901234567890")).toBe(false);
  });

  it("do not echo without end", () => {
    const turns = Array.from({ length: 2000 }, () => `{"a":"${"x".repeat(900)}"}`).join(",");
    expect(JSON.stringify(upload(`"turns":[${turns}]`)).length).toBeLessThan(1_000_000);
  });
});

describe("the limits of a body", () => {
  const limits = { bodyBytes: 200, nesting: 3, jsonValues: 12, turns: 2, queryBytes: 100 };
  const turn = '{"turn":1,"inputs":"","decision":""}';

  it("say how many bytes", () => {
    const answer = readBody(AgentInput, Buffer.alloc(201, 0x20), undefined, limits);
    expect(answer).toEqual(bodyTooLarge(limits));
    expect(answer).toEqual({
      ok: false,
      status: 413,
      body: { detail: "Request body exceeds the limit of 200 bytes" },
    });
  });

  it("say how deep", () => {
    expect(upload('"turns":[],"x":[["]]]]{{{{"]]', limits)).toMatchObject({ ok: true });
    expect(upload('"turns":[],"x":[[[]]]', limits)).toMatchObject({
      status: 413,
      body: { detail: "Request body exceeds the limit of 3 nested levels" },
    });
  });

  it("say how many values, empty containers being one each", () => {
    expect(upload(emptyLists(7), limits)).toMatchObject({ ok: true });
    expect(upload(emptyLists(8), limits)).toMatchObject({
      status: 413,
      body: { detail: "Request body exceeds the limit of 12 JSON values" },
    });
  });

  it("say how many turns, in pydantic's words", () => {
    const roomy = { ...limits, jsonValues: 100, bodyBytes: 1000 };
    expect(upload(`"turns":[${turn},${turn}]`, roomy)).toMatchObject({ ok: true });
    expect(upload(`"turns":[${turn},${turn},${turn}]`, roomy)).toMatchObject({
      status: 422,
      body: {
        detail: [{ type: "too_long", msg: "List should have at most 2 items after validation, not 3" }],
      },
    });
  });

  it("say how many digits", () => {
    const number = "1".repeat(4000);
    const numbers = Array.from({ length: 251 }, () => number).join(",");
    expect(upload(`"turns":[],"x":[${numbers}]`)).toMatchObject({
      status: 413,
      body: { detail: "Request body exceeds the limit of 1000000 digits in long numbers" },
    });
    expect(upload(`"turns":[],"x":0.${"1".repeat(2_000_000)}`)).toMatchObject({ ok: true });
  });

  const MANY = 5_000_000;
  it.each([
    ["integers", `"turns":[{"turn":"${"1_".repeat(MANY)}","inputs":"","decision":""}]`],
    ["zeros", `"turns":[{"turn":"${"0".repeat(2 * MANY)}x","inputs":"","decision":""}]`],
    ["times", `"turns":[],"timestamp":"2031-05-06T07:08:09.${"1".repeat(2 * MANY)}x"`],
    ["Unix times", `"turns":[],"timestamp":"${"1".repeat(2 * MANY)}.5x"`],
    ["booleans", `"turns":[],"success":"${"t".repeat(2 * MANY)}"`],
    ["escapes without end", `"turns":[],"x":"${"\\n".repeat(MANY)}`],
    ["lone surrogates", `"turns":[7],"x":"${"\\ud83d".repeat(1_600_000)}"`],
  ])("let through long %s, which are read in one pass", (_name, fields) => {
    const start = performance.now();
    expect(upload(fields)).toMatchObject({ status: 422 });
    expect(performance.now() - start).toBeLessThan(3000);
  });
});
