import * as z from "zod";
import { FIELD_REQUIRED, Flaw, NOT_AN_OBJECT, type Problem } from "./flaw.ts";
import { readBoolean } from "./lax-boolean.ts";
import { readFloat } from "./lax-float.ts";
import { type LaxRule, laxRules } from "./lax-types.ts";

/** What one reading of one request carries along. */
export interface Reading {
  readonly problems: Problem[];
  /** What a missing field echoes: FastAPI shows the object around it in a body, and nothing in a query. */
  readonly echoSurroundings: boolean;
  /** The longest list that is read; a setting, so not part of the schema. */
  readonly maxItems: number;
  /** The keys of an object in the order they were written, where that is not the order it lists them in. */
  readonly keyOrder: ReadonlyMap<object, readonly string[]>;
  /** Set when problems may be out of order, because JavaScript lists keys that look like integers first. */
  orderInDoubt: boolean;
}

/** Returns what was meant, or, having noted problems, nothing to be used. */
type Reader = (input: unknown, reading: Reading) => unknown;

const NOT_A_STRING = new Flaw("string_type", "Input should be a valid string");
const NOT_A_DICTIONARY = new Flaw("dict_type", "Input should be a valid dictionary");
const NOT_A_LIST = new Flaw("list_type", "Input should be a valid list");

/** A list of problems longer than this helps nobody, and takes long to write. */
const MAX_PROBLEMS = 10_000;

const compiled = new WeakMap<z.core.$ZodType, Reader>();

/**
 * Reads `input` as the schema says, by pydantic's rules and not by zod's: zod is only the language the
 * schemas are written in. The problems come in pydantic's order: fields as declared, items as sent.
 */
export function read<S extends z.ZodType>(schema: S, input: unknown, reading: Reading): z.output<S> {
  let reader = compiled.get(schema);
  if (reader === undefined) {
    reader = readerOf(schema);
    compiled.set(schema, reader);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it makes what the schema describes
  return reader(input, reading) as z.output<S>;
}

function readerOf(schema: z.core.$ZodType): Reader {
  const lax = laxRules.get(schema);
  if (lax !== undefined) return byRule(lax.rule);
  if (schema instanceof z.ZodString)
    return byRule((input) => (typeof input === "string" ? input : NOT_A_STRING));
  if (schema instanceof z.ZodBoolean) return byRule(readBoolean);
  if (schema instanceof z.ZodNumber) return byRule(readFloat);
  if (schema instanceof z.ZodUnknown) return anything;
  if (schema instanceof z.ZodNullable) return nullable(readerOf(schema.unwrap()));
  if (schema instanceof z.ZodArray) return listOf(readerOf(schema.element));
  if (schema instanceof z.ZodRecord) return dictionaryOf(readerOf(schema.valueType));
  if (schema instanceof z.ZodObject) return modelOf(schema);
  throw new TypeError(`no reading rule for ${schema instanceof z.ZodType ? schema.type : "this type"}`);
}

const anything: Reader = (input) => input;

function byRule(rule: LaxRule): Reader {
  return (input, reading) => {
    const value = rule(input);
    return value instanceof Flaw ? refuse(value, input, reading) : value;
  };
}

function nullable(reader: Reader): Reader {
  return (input, reading) => (input === null ? null : reader(input, reading));
}

function listOf(reader: Reader): Reader {
  return (input, reading) => {
    if (!Array.isArray(input)) return refuse(NOT_A_LIST, input, reading);
    if (input.length > reading.maxItems) {
      return refuse(tooLong(input.length, reading.maxItems), input, reading);
    }
    return input.map((item: unknown, index) => readAt(index, reader, item, reading));
  };
}

function tooLong(length: number, limit: number): Flaw {
  return new Flaw("too_long", `List should have at most ${limit} items after validation, not ${length}`, {
    field_type: "List",
    max_length: limit,
    actual_length: length,
  });
}

/** The dictionary is handed on as it is: copying it key by key would stumble over `__proto__`. */
function dictionaryOf(reader: Reader): Reader {
  return (input, reading) => {
    if (!isObject(input)) return refuse(NOT_A_DICTIONARY, input, reading);
    if (reader === anything) return input;
    const before = reading.problems.length;
    const keys = reading.keyOrder.get(input) ?? Object.keys(input);
    for (const key of keys) {
      readAt(key, reader, input[key], reading);
      if (reading.problems.length === MAX_PROBLEMS) break;
    }
    if (reading.problems.length > before + 1 && !reading.keyOrder.has(input)) {
      reading.orderInDoubt ||= keys.some((key) => /^[0-9]+$/.test(key));
    }
    return input;
  };
}

function modelOf(schema: z.ZodObject): Reader {
  const fields = Object.entries(schema.shape).map(([name, field]) => fieldOf(name, field));
  // Copying one object with all the fields is quicker than adding them one by one, by a factor.
  const blank: Record<string, unknown> = Object.fromEntries(fields.map(({ name }) => [name, undefined]));
  return (input, reading) => {
    if (!isObject(input)) return refuse(NOT_AN_OBJECT, input, reading);
    const model = { ...blank };
    for (const field of fields) {
      const given = input[field.name];
      if (given !== undefined) model[field.name] = readAt(field.name, field.reader, given, reading);
      else if (field.whenAbsent !== null) model[field.name] = field.whenAbsent();
      else {
        note(reading, {
          flaw: FIELD_REQUIRED,
          loc: [field.name],
          input: reading.echoSurroundings ? input : null,
        });
      }
    }
    return model;
  };
}

interface Field {
  readonly name: string;
  readonly reader: Reader;
  /** Null for a required field. */
  readonly whenAbsent: (() => unknown) | null;
}

function fieldOf(name: string, schema: z.core.$ZodType): Field {
  if (schema instanceof z.ZodDefault) {
    return { name, reader: readerOf(schema.unwrap()), whenAbsent: () => schema.def.defaultValue };
  }
  if (schema instanceof z.ZodOptional) {
    return { name, reader: readerOf(schema.unwrap()), whenAbsent: () => undefined };
  }
  return { name, reader: readerOf(schema), whenAbsent: null };
}

/** Places are added on the way back out, so that a reading without problems never builds one. */
function readAt(place: string | number, reader: Reader, input: unknown, reading: Reading): unknown {
  const before = reading.problems.length;
  const value = reader(input, reading);
  for (let index = before; index < reading.problems.length; index++)
    reading.problems[index]?.loc.unshift(place);
  return value;
}

function refuse(flaw: Flaw, input: unknown, reading: Reading): undefined {
  note(reading, { flaw, loc: [], input });
  return undefined;
}

function note(reading: Reading, problem: Problem): void {
  if (reading.problems.length < MAX_PROBLEMS) reading.problems.push(problem);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
