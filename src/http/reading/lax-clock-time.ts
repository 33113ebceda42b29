// Separator, hour, minute; seconds with an optional fraction; Z or an offset. U+2212 is ISO 8601's own minus.
const CLOCK_TIME =
  /^[Tt _]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,6}))?)?(?:([Zz])|([+\-\u2212])([0-9]{2}):?([0-9]{2}))?$/;
/** Fractions may be of any length; cutting them first keeps the pattern above from tracking back through one. */
const LONG_FRACTION = /([.,][0-9]{6})[0-9]+/;

/**
 * What follows the date in a datetime text, in Python's `isoformat` from `T` on; null when it is no time.
 * Fractions are cut, not rounded, to microseconds.
 */
export function parseClockTime(text: string): string | null {
  const parts = CLOCK_TIME.exec(text.replace(LONG_FRACTION, "$1"));
  if (parts === null) return null;
  const [, hour = "", minute = "", second = "00", fraction, zulu, sign, offsetHour = "", offsetMinute = ""] =
    parts;
  if (hour > "23" || minute > "59" || second > "59") return null;
  const clock = `T${hour}:${minute}:${second}${microseconds(fraction)}`;
  if (zulu !== undefined) return `${clock}+00:00`;
  if (sign === undefined) return clock;
  if (offsetHour > "23" || offsetMinute > "59") return null;
  const west = sign !== "+" && (offsetHour !== "00" || offsetMinute !== "00");
  return `${clock}${west ? "-" : "+"}${offsetHour}:${offsetMinute}`;
}

/** As `isoformat` writes them: six digits, or nothing at all when they are zero. */
function microseconds(fraction = ""): string {
  const digits = fraction.padEnd(6, "0");
  return digits === "000000" ? "" : `.${digits}`;
}
