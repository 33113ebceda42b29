import type * as z from "zod";
import { EVERYWHERE, type OperationDescription, OPERATIONS } from "./operations-described.ts";
import { componentSchemas, inlineSchema, type JsonSchema, referenceTo, wordsOf } from "./json-schema.ts";
import * as schemas from "./schemas.ts";

/** The parts of an OpenAPI 3.1 document that ours has. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface OpenApiOperation {
  readonly summary: string;
  readonly description: string;
  readonly operationId: string;
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: true; readonly content: JsonContent };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content: JsonContent }>
  >;
}

interface OpenApiParameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

interface JsonContent {
  readonly "application/json": { readonly schema: JsonSchema };
}

/** Components by the name they have in the contract. */
const COMPONENTS = new Map<string, z.ZodType>([
  ["AgentInput", schemas.AgentInput],
  ["AgentKnowledgeUpload", schemas.AgentKnowledgeUpload],
  ["AgentTurn", schemas.AgentTurn],
  ["EnhancedResponse", schemas.EnhancedResponse],
  ["Feedback", schemas.Feedback],
  ["HTTPValidationError", schemas.HTTPValidationError],
  ["ValidationError", schemas.ValidationError],
]);

export function openApiDocument(operations: readonly OperationDescription[] = OPERATIONS): OpenApiDocument {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Whetstone",
      version: "1.0.0",
      description: "Makes software agents better at their work by learning from their own past interactions.",
    },
    paths,
    components: {
      schemas: componentSchemas(COMPONENTS),
      securitySchemes: { APIKeyHeader: { type: "apiKey", in: "header", name: "x-api-key" } },
    },
    security: [{ APIKeyHeader: [] }],
  };
}

function describe(operation: OperationDescription): OpenApiOperation {
  const parameters = [
    ...parametersIn("path", operation.pathParameters),
    ...parametersIn("query", operation.query),
  ];
  const operationId = operationIdOf(operation);
  return {
    summary: wordsOf(operation.name),
    description: operation.description,
    operationId,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(operation.body === undefined
      ? {}
      : { requestBody: { required: true, content: jsonContent(operation.body, operationId) } }),
    responses: responsesOf(operation, operationId),
  };
}

/** FastAPI's: the function's name, the path and the method, with underscores for all that is no word. */
function operationIdOf({ name, path, method }: OperationDescription): string {
  return `${`${name}${path}`.replaceAll(/\W/g, "_")}_${method}`;
}

function parametersIn(place: "path" | "query", model: z.ZodObject | undefined): OpenApiParameter[] {
  if (model === undefined) return [];
  const { properties = {}, required = [] } = inlineSchema(model, "");
  return Object.entries(properties).flatMap(([name, field]) => {
    if (typeof field === "boolean") return [];
    const { description, ...schema } = field;
    const told = description === undefined ? {} : { description };
    return [{ name, in: place, required: required.includes(name), ...told, schema }];
  });
}

function responsesOf(operation: OperationDescription, operationId: string): OpenApiOperation["responses"] {
  const { status, schema } = operation.success;
  const success = {
    description: "Successful Response",
    content: jsonContent(schema, `Response ${wordsOf(operationId)}`),
  };
  const failures = [...operation.failures, ...EVERYWHERE].map((failure) => {
    const { description } = failure;
    return [failure.status, { description, content: jsonContent(failure.schema, "Error") }] as const;
  });
  return Object.fromEntries([[status, success], ...failures]);
}

function jsonContent(schema: z.ZodType | undefined, title: string): JsonContent {
  if (schema === undefined) return { "application/json": { schema: {} } };
  for (const [id, component] of COMPONENTS) {
    if (component === schema) return { "application/json": { schema: { $ref: referenceTo(id) } } };
  }
  return { "application/json": { schema: inlineSchema(schema, title) } };
}
