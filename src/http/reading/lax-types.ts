import * as z from "zod";
import { Flaw } from "./flaw.ts";
import { readDatetime } from "./lax-datetime.ts";
import { readFloat } from "./lax-float.ts";
import { readInteger } from "./lax-integer.ts";

/** Turns a value as it came into the one that is meant, or says why it cannot. */
export type LaxRule = (input: unknown) => unknown;

/** The rules of the types below, by schema: the reader looks here before it looks at zod's own types. */
export const laxRules = z.registry<{ readonly rule: LaxRule }>();

/** An integer of any size. */
export const integer = laxType(readInteger, { type: "integer" });

/** A moment, as Python's `isoformat` writes it; without a zone if it came without. */
export const datetime = laxType(readDatetime, { type: "string", format: "date-time" });

/** A number from 0 to 1. */
export const share = laxType(readShare, { type: "number", minimum: 0, maximum: 1 });

const TOO_SMALL = new Flaw("greater_than_equal", "Input should be greater than or equal to 0", { ge: 0 });
const TOO_LARGE = new Flaw("less_than_equal", "Input should be less than or equal to 1", { le: 1 });

function readShare(input: unknown): number | Flaw {
  const value = readFloat(input);
  if (value instanceof Flaw) return value;
  if (!(value >= 0)) return TOO_SMALL;
  return value <= 1 ? value : TOO_LARGE;
}

/** For types zod has no word for; `jsonSchema` is what OpenAPI shows. */
function laxType<T>(rule: (input: unknown) => T, jsonSchema: z.core.JSONSchemaMeta) {
  return z.custom<Exclude<T, Flaw>>().meta(jsonSchema).register(laxRules, { rule });
}
