import { describe, expect, it } from "vitest";
import { Flaw } from "../../src/http/reading/flaw.ts";
import { readBoolean } from "../../src/http/reading/lax-boolean.ts";
import { readDatetime } from "../../src/http/reading/lax-datetime.ts";
import { readFloat } from "../../src/http/reading/lax-float.ts";
import { readInteger } from "../../src/http/reading/lax-integer.ts";

/** The value read, or the type of the error. */
function outcome(value: unknown): unknown {
  return value instanceof Flaw ? value.type : value;
}

describe("a boolean", () => {
  it.each(["1", "on", "t", "TRUE", "y", "Yes", 1, 1n, true])("reads %s as true", (input) => {
    expect(outcome(readBoolean(input))).toBe(true);
  });

  it.each(["0", "Off", "F", "false", "N", "no", 0, -0, false])("reads %s as false", (input) => {
    expect(outcome(readBoolean(input))).toBe(false);
  });

  it.each(["", " yes", "no\n", "2", "1.0", "yess", "o\u212a", 2, -1, 7n])("cannot interpret %s", (input) => {
    expect(outcome(readBoolean(input))).toBe("bool_parsing");
  });

  it.each([0.25, 1e19, 10n ** 19n, 10n ** 400n, null, [], {}])("does not take %s for one", (input) => {
    expect(outcome(readBoolean(input))).toBe("bool_type");
  });
});

describe("an integer", () => {
  it.each([
    [7, 7],
    [-0, 0],
    [true, 1],
    ["42", 42],
    [" +42\n", 42],
    ["\u008542\u3000", 42],
    ["-0", 0],
    ["007", 7],
    ["0__7", 7],
    ["12_345.000", 12_345],
    ["00.0", 0],
    ["90071992547409931", 90_071_992_547_409_931n],
    [12345678901234567890n, 12345678901234567890n],
    [2 ** 60, 2n ** 60n],
  ])("reads %s as %s", (input, value) => {
    expect(outcome(readInteger(input))).toBe(value);
  });

  it.each([
    "",
    "-",
    "4 2",
    "4.",
    ".0",
    "4.2",
    "4e2",
    "0x4",
    "_4",
    "4_",
    "4__2",
    "\ufeff4",
    "４",
    "+-4",
    "0_",
  ])("cannot parse %s", (input) => {
    expect(outcome(readInteger(input))).toBe("int_parsing");
  });

  it("refuses a fraction, and a float that 64 bits cannot hold", () => {
    expect(outcome(readInteger(4.2))).toBe("int_from_float");
    expect(outcome(readInteger(2 ** 63))).toBe("int_parsing_size");
  });

  it("refuses texts of more than 4300 digits, as Python does", () => {
    expect(outcome(readInteger("9".repeat(4300)))).toBe(BigInt("9".repeat(4300)));
    expect(outcome(readInteger("9".repeat(4301)))).toBe("int_parsing_size");
    expect(outcome(readInteger(` ${"9".repeat(4301)}`))).toBe("int_parsing");
  });

  it.each([null, [], {}, [1]])("does not take %s for one", (input) => {
    expect(outcome(readInteger(input))).toBe("int_type");
  });
});

describe("a float", () => {
  it.each([
    [0.25, 0.25],
    [true, 1],
    [10n ** 20n, 1e20],
    [" .25 ", 0.25],
    ["25.", 25],
    ["+2.5E-1", 0.25],
    ["1_0.2_5", 10.25],
    ["NaN", Number.NaN],
    ["-Infinity", -Infinity],
    ["1e999", Infinity],
  ])("reads %s as %s", (input, value) => {
    expect(outcome(readFloat(input))).toBe(value);
  });

  it.each(["", ".", "0,5", "0x1", "1e", "e1", "_1", "1__0", " 1_0", "1 0", "none", "infinit"])(
    "cannot parse %s",
    (input) => {
      expect(outcome(readFloat(input))).toBe("float_parsing");
    },
  );

  it("is not null, nor a list", () => {
    expect(outcome(readFloat(null))).toBe("float_type");
    expect(outcome(readFloat([]))).toBe("float_type");
  });
});

describe("a datetime", () => {
  it.each([
    ["2031-05-06T07:08:09Z", "2031-05-06T07:08:09+00:00"],
    ["2031-05-06t07:08:09z", "2031-05-06T07:08:09+00:00"],
    ["2031-05-06 07:08", "2031-05-06T07:08:00"],
    ["2031-05-06_07:08:09,5", "2031-05-06T07:08:09.500000"],
    ["2031-05-06T07:08:09.9999999-0330", "2031-05-06T07:08:09.999999-03:30"],
    ["2031-05-06T07:08:09\u221203:30", "2031-05-06T07:08:09-03:30"],
    ["2031-05-06T07:08:09-00:00", "2031-05-06T07:08:09+00:00"],
    ["2031-05-06T07:08:09.000", "2031-05-06T07:08:09"],
    ["2028-02-29", "2028-02-29T00:00:00"],
    ["1000", "1970-01-01T00:16:40+00:00"],
    ["-1.5", "1969-12-31T23:59:58.500000+00:00"],
    [20_000_000_000, "2603-10-11T11:33:20+00:00"],
    [20_000_000_001, "1970-08-20T11:33:20.001000+00:00"],
    [1e9 + 0.9999999, "2001-09-09T01:46:41+00:00"],
    [-2.25, "1969-12-31T23:59:57.750000+00:00"],
    [10n ** 13n, "2286-11-20T17:46:40+00:00"],
  ])("reads %s as %s", (input, iso) => {
    expect(outcome(readDatetime(input))).toBe(iso);
  });

  it.each([
    ["soon", "input is too short"],
    [" 2031-05-06", "invalid character in year"],
    ["２０３１", "invalid character in year"],
    ["2031/05/06", "invalid date separator, expected `-`"],
    ["2031-5-06x", "invalid character in month"],
    ["2031-05_06", "invalid date separator, expected `-`"],
    ["2031-05-6T", "invalid character in day"],
    ["2031-13-06", "month value is outside expected range of 1-12"],
    ["2031-02-29", "day value is outside expected range"],
    ["1900-02-29", "day value is outside expected range"],
    ["2031-04-31", "day value is outside expected range"],
    ["2031-05-06Z", "unexpected extra characters at the end of the input"],
    ["2031-05-06T24:00", "unexpected extra characters at the end of the input"],
    ["2031-05-06T07:60", "unexpected extra characters at the end of the input"],
    ["2031-05-06T07:08:60", "unexpected extra characters at the end of the input"],
    ["2031-05-06T07:08:09.", "unexpected extra characters at the end of the input"],
    ["2031-05-06T07:08:09+24:00", "unexpected extra characters at the end of the input"],
    ["2031-05-06T07:08:09+05:60", "unexpected extra characters at the end of the input"],
    ["999999999999999", "dates after 9999 are not supported as unix timestamps"],
    ["-99999999999999", "dates before 0000 are not supported as unix timestamps"],
    ["99999999999999999999", "invalid date separator, expected `-`"],
  ])("says of %s that it is neither datetime nor date: %s", (input, error) => {
    const msg = `Input should be a valid datetime or date, ${error}`;
    expect(readDatetime(input)).toEqual(new Flaw("datetime_from_date_parsing", msg, { error }));
  });

  it.each([
    ["0000-05-06", "year 0 is out of range"],
    [-62_135_596_801_000, "year 0 is out of range"],
    [1e300, "dates after 9999 are not supported as unix timestamps"],
    [-(10n ** 30n), "dates before 0000 are not supported as unix timestamps"],
  ])("says of %s that it is no datetime: %s", (input, error) => {
    const msg = `Input should be a valid datetime, ${error}`;
    expect(readDatetime(input)).toEqual(new Flaw("datetime_parsing", msg, { error }));
  });

  it.each([true, null, [], {}])("does not take %s for one", (input) => {
    expect(outcome(readDatetime(input))).toBe("datetime_type");
  });
});
