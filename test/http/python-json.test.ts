import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkJson, JsonError, OversizeInteger, parseExactly } from "../../src/http/reading/python-json.ts";

function refusal(text: string): { error: string; position: number } | null {
  try {
    checkJson(text);
    return null;
  } catch (error) {
    return error instanceof JsonError ? { error: error.message, position: error.position } : null;
  }
}

/** With doubles for bigints. */
function rounded(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, item) => (typeof item === "bigint" ? Number(item) : item)));
}

describe("text that is not JSON", () => {
  it.each([
    ["", "Expecting value", 0],
    ["\t\n", "Expecting value", 2],
    ["nul", "Expecting value", 0],
    ["-", "Expecting value", 0],
    ["[", "Expecting value", 1],
    ["[1 2]", "Expecting ',' delimiter", 3],
    ["[1, ]", "Illegal trailing comma before end of array", 2],
    ["[1,", "Expecting value", 3],
    ["[00]", "Expecting ',' delimiter", 2],
    ["1.", "Extra data", 1],
    ["1e+", "Extra data", 1],
    ["{} {}", "Extra data", 3],
    ["{1:2}", "Expecting property name enclosed in double quotes", 1],
    ['{"a" 1}', "Expecting ':' delimiter", 5],
    ['{"a":}', "Expecting value", 5],
    ['{"a":1', "Expecting ',' delimiter", 6],
    ['{"a":1 ,}', "Illegal trailing comma before end of object", 7],
    ['{"a":1,2', "Expecting property name enclosed in double quotes", 7],
    ['["abc', "Unterminated string starting at", 1],
    ['["abc\\', "Unterminated string starting at", 1],
    ['"a\nb"', "Invalid control character at", 2],
    ['"\\q"', "Invalid \\escape", 1],
    ['"\\u12g4"', "Invalid \\uXXXX escape", 2],
    ['"\\u1234', "Invalid \\uXXXX escape", 2],
    [`["${"x".repeat(100)}\u0001"]`, "Invalid control character at", 102],
    ["[NaN]", "Out of range float values are not JSON compliant", 1],
    ["-Infinity", "Out of range float values are not JSON compliant", 0],
    ["1e999", "Out of range float values are not JSON compliant", 0],
  ])("%j: %s at %i", (text, error, position) => {
    expect(refusal(text)).toEqual({ error, position });
  });

  it("has its positions counted in characters, not in UTF-16 units", () => {
    expect(refusal('["😀😀" 1]')).toEqual({ error: "Expecting ',' delimiter", position: 6 });
  });

  it("is refused exactly when JSON.parse refuses it", () => {
    const pieces = fc.constantFrom(
      ...'[ ] { } : , " \\ u 0 d n e - + . 1 t f \n \t true null "a" \\ud83d'.split(" "),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(refusal(text) === null).toBe(valid);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("JSON text", () => {
  it("is read as JSON.parse reads it", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(rounded(parseExactly(text).value)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("keeps integers that a double cannot hold", () => {
    const { value } = parseExactly("[9007199254740991, 9007199254740993, -123456789012345678901, 1e20]");
    expect(value).toEqual([9007199254740991, 9007199254740993n, -123456789012345678901n, 1e20]);
  });

  it("is not converted when an integer has more than 4300 digits", () => {
    expect(parseExactly("9".repeat(4300)).value).toBe(BigInt("9".repeat(4300)));
    expect(() => parseExactly(`-${"9".repeat(4301)}`)).toThrow(OversizeInteger);
  });

  it("remembers the order of keys that JavaScript would sort", () => {
    const { value, keyOrder } = parseExactly('{"b": 1, "10": 2, "9": 3, "b": 4}');
    expect(keyOrder.get(Object(value))).toEqual(["b", "10", "9"]);
    expect(value).toEqual({ b: 4, "10": 2, "9": 3 });
  });

  it("may have a key named __proto__, which is a key like any other", () => {
    const { value } = parseExactly('{"__proto__": {"polluted": true}}');
    expect(Object.keys(Object(value))).toEqual(["__proto__"]);
    expect(Object(value).polluted).toBeUndefined();
  });
});
