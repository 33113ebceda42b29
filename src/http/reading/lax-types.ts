import * as z from "zod";
import type { Flaw } from "./flaw.ts";
import { readDatetime } from "./lax-datetime.ts";
import { readInteger } from "./lax-integer.ts";

/** Turns a value as it came into the one that is meant, or says why it cannot. */
export type LaxRule = (input: unknown) => unknown;

/** The rules of the types below, by schema: the reader looks here before it looks at zod's own types. */
export const laxRules = z.registry<{ readonly rule: LaxRule }>();

/** An integer of any size. */
export const integer = laxType(readInteger, { type: "integer" });

/** A moment, as Python's `isoformat` writes it; without a zone if it came without. */
export const datetime = laxType(readDatetime, { type: "string", format: "date-time" });

/** For types zod has no word for; `jsonSchema` is what OpenAPI shows. */
function laxType<T>(rule: (input: unknown) => T, jsonSchema: z.core.JSONSchemaMeta) {
  return z.custom<Exclude<T, Flaw>>().meta(jsonSchema).register(laxRules, { rule });
}
