import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../src/http/reading/limits.ts";
import { readQuery } from "../../src/http/reading/read-query.ts";
import { DeleteByIntent } from "../../src/http/interface/schemas.ts";

function query(search: string) {
  return readQuery(DeleteByIntent, search, DEFAULT_LIMITS);
}

describe("a query string", () => {
  it("has its absent parameters filled in", () => {
    expect(query("tenant_id=k&intent=refund")).toEqual({
      ok: true,
      value: { tenant_id: "k", intent: "refund", similarity_threshold: 0.5, dry_run: false },
    });
  });

  it.each([
    ["intent=a+b%2bc", "a b+c"],
    ["intent=%C3%A9%F0%9F%98%80", "é😀"],
    ["intent=%EF%BB%BFx", "\ufeffx"],
    ["intent=%FFx%C3", "\ufffdx\ufffd"],
    ["intent=%", "%"],
    ["intent=%4z%zz", "%4z%zz"],
    ["intent=a=b;c#d?e", "a=b;c#d?e"],
    ["intent=a&intent=b", "b"],
    ["intent=a&intent", ""],
    ["&&inten%74=a&", "a"],
  ])("%s means %j", (search, intent) => {
    expect(query(`tenant_id=k&${search}`)).toMatchObject({ ok: true, value: { intent } });
  });

  it.each([
    ["similarity_threshold=.8", { similarity_threshold: 0.8 }],
    ["similarity_threshold=nan", { similarity_threshold: Number.NaN }],
    ["similarity_threshold=&similarity_threshold=-1", { similarity_threshold: -1 }],
    ["dry_run=Yes", { dry_run: true }],
    ["dry_run=0", { dry_run: false }],
  ])("%s is read leniently", (search, value) => {
    expect(query(`tenant_id=k&intent=i&${search}`)).toMatchObject({ ok: true, value });
  });

  it("has its problems told in the order of the parameters", () => {
    const answer = query("Intent=i&dry_run=maybe&similarity_threshold=");
    expect(answer).toEqual({
      ok: false,
      status: 422,
      body: {
        detail: [
          { type: "missing", loc: ["query", "tenant_id"], msg: "Field required", input: null },
          { type: "missing", loc: ["query", "intent"], msg: "Field required", input: null },
          {
            type: "float_parsing",
            loc: ["query", "similarity_threshold"],
            msg: "Input should be a valid number, unable to parse string as a number",
            input: "",
          },
          {
            type: "bool_parsing",
            loc: ["query", "dry_run"],
            msg: "Input should be a valid boolean, unable to interpret input",
            input: "maybe",
          },
        ],
      },
    });
  });

  it("may name a parameter __proto__", () => {
    expect(query("__proto__=x&tenant_id=k&intent=i")).toMatchObject({ ok: true });
  });

  it("is limited in length", () => {
    expect(query(`tenant_id=k&intent=${"x".repeat(32 * 1024)}`)).toEqual({
      ok: false,
      status: 413,
      body: { detail: "Query string exceeds the limit of 32768 bytes" },
    });
  });
});
