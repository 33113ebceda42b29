import type { Action } from "../../domain/action.ts";
import { readImperative } from "./commands.ts";
import type { QueryWords } from "./query-words.ts";
import { writeAction } from "./write-action.ts";

const READ_LIMIT = 2_000;
const OBJECT_WORDS = 8;

/** "I will search …", "Let's open …", "Next, we need to compare …": an announced step, the verb follows. */
const ANNOUNCED =
  /\b(?:i will|i'll|i shall|let me|let's|let us|we will|we'll|we need to|i need to|i should|i'm going to|i am going to|we should)\s+(?:now |first |then |next |also |start by |begin by |proceed to |try to )?([a-z]{2,20})\b/i;
/** "I clicked …": a step that is told after it was done. */
const TOLD = /\b(?:i|we)(?: have|'ve)? ([a-z]{2,20}ed)\b/i;
/** Announcements about the talk itself are not steps. */
const TALK_VERBS =
  /^(?:be|need|have|help|assist|know|wait|do|like|want|say|tell|ask|explain|let|think|see|love|continue|proceed|conclude|needed|wanted|completed|identified|confirmed|determined|received|reached|agreed)$/i;

const ASKS =
  /\?\s*(?:$|\n)|\b(?:could|can|would|will) you\b|\bplease (?:provide|confirm|let me know|share|tell|specify|clarify|give|reply)\b|\blet me know\b|\bdo you (?:want|have|need|wish)\b/i;
const ADDRESSES = /\b(?:you|your|you're|thanks|thank)\b/i;

/**
 * Prose. Talk to a person is `ask` or `say`; a step that is announced or told keeps its verb and object; anything else
 * is `say`, since a claim changes nothing in the world.
 */
export function readSentence(text: string, query: QueryWords): Action {
  const prose = text.slice(0, READ_LIMIT);
  if (ASKS.test(prose)) return speech("ask");
  const step = ANNOUNCED.exec(prose) ?? TOLD.exec(prose);
  const verb = step?.[1];
  if (step === null || verb === undefined || TALK_VERBS.test(verb) || addressesReader(prose))
    return speech("say");
  const from = step.index + step[0].length - verb.length;
  const clause = /^[^.,;:!?\n()]{0,120}/.exec(prose.slice(from))?.[0] ?? verb;
  const words = clause.split(/\s+/).filter((word) => word !== "");
  return readImperative("sentence", words.slice(0, OBJECT_WORDS), query);
}

/** The first sentences say to whom a reply speaks. */
function addressesReader(prose: string): boolean {
  return ADDRESSES.test(prose.slice(0, 200));
}

function speech(verb: "say" | "ask"): Action {
  return writeAction("speech", verb, []);
}
