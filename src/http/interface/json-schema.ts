import * as z from "zod";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The schemas in `named` under their names, referring to each other by `$ref`, in FastAPI's manner. */
export function componentSchemas(named: ReadonlyMap<string, z.ZodType>): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of named) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { ...MANNER, uri: referenceTo });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, titled(schema, id)]));
}

export function referenceTo(id: string): string {
  return `#/components/schemas/${id}`;
}

/** A schema written out where it is used. */
export function inlineSchema(schema: z.ZodType, title: string): JsonSchema {
  return titled(z.toJSONSchema(schema, MANNER), title);
}

const MANNER = {
  io: "input",
  unrepresentable: "any",
  override({ jsonSchema }: { jsonSchema: JsonSchema }) {
    // JSON has no other keys than strings.
    delete jsonSchema.propertyNames;
    // Absent and null, or absent and empty, mean the same here: no default worth telling.
    if (jsonSchema.default === null || isEmptyObject(jsonSchema.default)) delete jsonSchema.default;
    // zod's integers end where a double's exact ones do.
    if (jsonSchema.type === "integer") {
      delete jsonSchema.minimum;
      delete jsonSchema.maximum;
    }
  },
} as const;

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** With FastAPI's titles: a field's is made of its name. */
function titled(schema: JsonSchema, title: string): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, field]) => [
    name,
    typeof field === "boolean" ? field : { title: wordsOf(name), ...field },
  ]);
  const fields = properties.length === 0 ? {} : { properties: Object.fromEntries(properties) };
  const whole: JsonSchema = { title, ...schema, ...fields };
  // Inside an OpenAPI document both are known.
  delete whole.$schema;
  delete whole.$id;
  return whole;
}

/** `input_text` → `Input Text`. */
export function wordsOf(name: string): string {
  return name
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
}
