import type { Action, Slot } from "../../domain/action.ts";
import type { QueryWords } from "./query-words.ts";
import { thingOf } from "./values.ts";
import { writeAction } from "./write-action.ts";

const PREPOSITIONS = new Set(
  "from to in on in/on into onto with at under using for inside by off near behind against between through over as".split(
    " ",
  ),
);
/** Words that belong to the verb when they stand right behind it: `go to`, `pick up`, `turn on`. */
const PARTICLES = new Set("to up down on off out in at into around back for through over away".split(" "));
/** No command starts with these: pronouns, articles, auxiliaries, question words, conjunctions, answers. */
const NOT_VERBS = new Set(
  (
    "i we you he she it they the a an this that these those there here my our your his her its their is are was were be am " +
    "do does did has have had can could will would shall should may might must what which who whom whose when where why " +
    "how and or but if because since so as for of to in on at with from by not no yes yeah yep nope ok okay sure hi hello " +
    "hey dear thanks thank sorry please welcome great good well all some any one two three based according after before " +
    "unfortunately however also then therefore thus nothing none both each every once upon although though"
  ).split(" "),
);

/** Said to end a conversation; as a step of a plan they mean nothing. */
const CLOSING = /^(?:terminate|done|stop|end|exit|quit|finished|completed?|noop|no-op|none)$/i;

/** A short imperative on one line, as text games and many robots take it: `put mug 1 in/on desk 2`. */
export function readTextCommand(line: string, query: QueryWords): Action | null {
  if (line.length > 140 || !/^[A-Za-z][\w\s/'&.,#-]*$/.test(line)) return null;
  const words = line
    .replace(/[.,]+$/, "")
    .split(/\s+/)
    .filter((word) => word !== "");
  const first = words[0]?.toLowerCase() ?? "";
  if (words.length > 14 || NOT_VERBS.has(first) || !/^[a-z][a-z_-]*$/.test(first)) return null;
  if (
    /[.!?] [A-Z]/.test(line) ||
    words.some((word) => /^(?:you|your|i|we|i'm|i'll|is|are|was|were)$/i.test(word))
  )
    return null;
  // A lone capitalised word is rather an answer (a name) than an order; a lone lower-case or upper-case one is an order.
  if (words.length === 1 && (CLOSING.test(first) || /^[A-Z][a-z]/.test(words[0] ?? ""))) return null;
  return readImperative("command", words, query);
}

/** Verb, object, and what follows each preposition. */
export function readImperative(
  form: "command" | "sentence",
  words: readonly string[],
  query: QueryWords,
): Action {
  const [first = "", second = ""] = words;
  const withParticle = words.length > 2 && PARTICLES.has(second.toLowerCase());
  const verb = withParticle ? `${first} ${second}` : first;
  const slots: Slot[] = [];
  let name = "object";
  let phrase: string[] = [];
  const close = (): void => {
    if (phrase.length > 0) slots.push(thingOf(name, phrase.join(" "), query));
    phrase = [];
  };
  for (const word of words.slice(withParticle ? 2 : 1)) {
    if (PREPOSITIONS.has(word.toLowerCase())) {
      close();
      name = word.toLowerCase();
    } else phrase.push(word);
  }
  close();
  return writeAction(form, verb.toLowerCase(), slots);
}
