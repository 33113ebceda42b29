import { Flaw } from "./flaw.ts";
import { parseClockTime } from "./lax-clock-time.ts";

const NOT_A_DATETIME = new Flaw("datetime_type", "Input should be a valid datetime");

/** Unix times beyond this are milliseconds: 2603 in seconds, August 1970 in milliseconds. */
const MILLISECONDS_ABOVE = 20_000_000_000;
const START_OF_YEAR_0 = -62_167_219_200;
const END_OF_YEAR_9999 = 253_402_300_799;
const I64_MAX = 9_223_372_036_854_775_807n;

/** Either the datetime, written as Python's `isoformat` writes it, or the reason why there is none. */
type Outcome = { readonly iso: string } | { readonly reason: string };

/**
 * pydantic's lax datetime: ISO 8601 with a few liberties, a date alone (midnight), or Unix time as a number
 * or text. No zone stays no zone.
 */
export function readDatetime(input: unknown): string | Flaw {
  switch (typeof input) {
    case "string":
      return fromText(input);
    case "number":
    case "bigint":
      return accepted(fromUnixTime(Number(input)), "datetime_parsing");
    default:
      return NOT_A_DATETIME;
  }
}

function fromText(text: string): string | Flaw {
  const date = parseDate(text);
  if ("iso" in date) {
    const clock = parseClockTime(text.slice(10));
    if (clock !== null) return accepted({ iso: date.iso + clock }, "datetime_parsing");
  }
  const unixTime = parseUnixTime(text);
  if (unixTime !== null) {
    const outcome = fromUnixTime(unixTime.value);
    if ("iso" in outcome) return accepted(outcome, "datetime_parsing");
    if (unixTime.whole) return accepted(outcome, "datetime_from_date_parsing");
  }
  // Not a datetime; pydantic now asks whether it is a date, and reports what is wrong with that.
  if ("iso" in date && text.length > 10) {
    return accepted(
      { reason: "unexpected extra characters at the end of the input" },
      "datetime_from_date_parsing",
    );
  }
  const midnight = "iso" in date ? { iso: `${date.iso}T00:00:00` } : date;
  return accepted(midnight, "datetime_from_date_parsing");
}

function accepted(outcome: Outcome, refusedAs: "datetime_parsing" | "datetime_from_date_parsing") {
  if ("reason" in outcome) return refused(outcome.reason, refusedAs);
  // The parsers know a year 0, Python's datetime does not.
  if (outcome.iso.startsWith("0000")) return refused("year 0 is out of range", "datetime_parsing");
  return outcome.iso;
}

function refused(reason: string, type: "datetime_parsing" | "datetime_from_date_parsing"): Flaw {
  const expected = type === "datetime_parsing" ? "datetime" : "datetime or date";
  return new Flaw(type, `Input should be a valid ${expected}, ${reason}`, { error: reason });
}

/** The first ten characters as a date, and the first thing wrong with them. */
function parseDate(text: string): Outcome {
  if (text.length < 10 && Buffer.byteLength(text) < 10) return { reason: "input is too short" };
  if (!/^[0-9]{4}/.test(text)) return { reason: "invalid character in year" };
  if (text[4] !== "-") return { reason: "invalid date separator, expected `-`" };
  if (!/^[0-9]{2}/.test(text.slice(5, 7))) return { reason: "invalid character in month" };
  if (text[7] !== "-") return { reason: "invalid date separator, expected `-`" };
  if (!/^[0-9]{2}/.test(text.slice(8, 10))) return { reason: "invalid character in day" };
  const month = Number(text.slice(5, 7));
  if (month < 1 || month > 12) return { reason: "month value is outside expected range of 1-12" };
  const day = Number(text.slice(8, 10));
  if (day < 1 || day > daysIn(Number(text.slice(0, 4)), month)) {
    return { reason: "day value is outside expected range" };
  }
  return { iso: text.slice(0, 10) };
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

const WHOLE_NUMBER = /^[+-]?0*([0-9]{1,19})$/;
const FRACTIONAL_NUMBER = /^[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

function parseUnixTime(text: string): { readonly value: number; readonly whole: boolean } | null {
  const digits = WHOLE_NUMBER.exec(text)?.[1];
  if (digits !== undefined) return BigInt(digits) <= I64_MAX ? { value: Number(text), whole: true } : null;
  if (!text.includes(".") || !FRACTIONAL_NUMBER.test(text)) return null;
  return { value: Number(text), whole: false };
}

function fromUnixTime(value: number): Outcome {
  const perSecond = Math.abs(value) > MILLISECONDS_ABOVE ? 1000 : 1;
  let second = Math.floor(value / perSecond);
  let microsecond = Math.round((value - second * perSecond) * (1_000_000 / perSecond));
  if (microsecond >= 1_000_000) {
    second += 1;
    microsecond -= 1_000_000;
  }
  if (second < START_OF_YEAR_0) return { reason: "dates before 0000 are not supported as unix timestamps" };
  if (!(second <= END_OF_YEAR_9999)) {
    return { reason: "dates after 9999 are not supported as unix timestamps" };
  }
  const clock = new Date(second * 1000).toISOString().slice(0, 19);
  const fraction = microsecond === 0 ? "" : `.${String(microsecond).padStart(6, "0")}`;
  return { iso: `${clock}${fraction}+00:00` };
}
