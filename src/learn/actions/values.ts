import type { Slot, SlotType } from "../../domain/action.ts";
import { wordsFromQuery, type QueryWords } from "./query-words.ts";

const VALUE_LIMIT = 200;

const MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}";
const DATES = [
  /^\d{4}-\d{1,2}-\d{1,2}(?:[t ][\d:.+z-]*)?$/i,
  /^\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}$/,
  new RegExp(`^${MONTH}\\.? \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?$`, "i"),
  new RegExp(`^\\d{1,2} ${MONTH}(?: \\d{4})?$`, "i"),
];

/**
 * What a written value is. `quoted` matters for digits: `scroll(500)` counts something, `click('149')` names something.
 */
function typeOfValue(value: string, quoted: boolean): SlotType {
  if (value.length > VALUE_LIMIT) return "text";
  if (/^<[a-z][a-z_]{0,40}\d{0,9}>$/i.test(value)) return "placeholder";
  if (/^(?:true|false|null|none)$/i.test(value)) return "boolean";
  if (/^(?:[a-z][a-z0-9+.-]{1,20}:\/\/|www\.)\S+$/i.test(value)) return "url";
  if (/^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i.test(value)) return "email";
  if (DATES.some((date) => date.test(value))) return "date";
  if (/^\d+$/.test(value)) return quoted ? "id" : "number";
  if (/^[-+]?[$€£]?\d[\d,]*(?:\.\d+)?%?$/.test(value)) return "number";
  if (isPath(value)) return "path";
  if (isId(value)) return "id";
  if (value.length <= 32 && /^[\p{L}\p{M}'&+-]+(?:[ _][\p{L}\p{M}'&+-]+){0,3}$/u.test(value)) return "word";
  return "text";
}

function isPath(value: string): boolean {
  if (/\s/.test(value)) return false;
  if (/^(?:~|\.{1,2})?\/./.test(value) || /^[a-z]:\\/i.test(value)) return true;
  return (
    /^[\w@.-]+(?:\/[\w@.*-]+)*\/?$/.test(value) && /[a-z]/i.test(value) && /\/|\.[a-z]{1,4}\d?$/i.test(value)
  );
}

/** A token without spaces that mixes digits in, or is one long run without vowels of a language: made for machines. */
function isId(value: string): boolean {
  if (/\s/.test(value)) return false;
  if (/^#?[\w.:-]+$/.test(value) && /\d/.test(value) && /[\p{L}_#:-]/u.test(value)) return true;
  return value.length >= 5 && /^[A-Z0-9]+$/.test(value) && !/[AEIOU]/.test(value);
}

/** An argument that says it is an id is one, also where the value happens to be all letters. */
const NAMES_AN_ID = /(?:^|[_.\]-])(?:id|uuid|guid|key|token|sku|hash|sha|pnr)s?(?:\[\])?$|[a-z]Ids?$/;

export function slotOf(name: string, value: string, quoted: boolean, query: QueryWords): Slot {
  const written = typeOfValue(value.trim(), quoted);
  const type = written === "word" && NAMES_AN_ID.test(name) && !value.trim().includes(" ") ? "id" : written;
  const cut = value.trim().slice(0, VALUE_LIMIT);
  return { name, type, value: cut, kind: null, instance: null, fromQuery: wordsFromQuery(cut, query) };
}

/** A noun phrase of a command: `drawer 3` is the third drawer, and the noun is what holds in another task. */
export function thingOf(name: string, phrase: string, query: QueryWords): Slot {
  const words = phrase.split(" ").filter((word) => !/^(?:the|a|an|some|my)$/i.test(word));
  const last = words.at(-1) ?? "";
  const numbered = words.length > 1 && /^\d{1,4}$/.test(last);
  const kind = (numbered ? words.slice(0, -1) : words).join(" ").toLowerCase();
  const typed = typeOfValue(words.join(" "), false);
  const type = numbered || typed === "word" || typed === "text" ? "thing" : typed;
  return {
    name,
    type,
    value: words.join(" ").slice(0, VALUE_LIMIT),
    kind: type === "thing" ? kind : null,
    instance: numbered ? last : null,
    fromQuery: wordsFromQuery(kind, query),
  };
}
