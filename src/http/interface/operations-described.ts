import * as z from "zod";
import {
  AgentInput,
  AgentKnowledgeUpload,
  DeleteByIntent,
  EnhancedResponse,
  Feedback,
  HTTPValidationError,
  KnowledgeStatusPath,
} from "./schemas.ts";

/** What the OpenAPI document says about one operation. */
export interface OperationDescription {
  readonly method: "get" | "post";
  readonly path: string;
  /** Names the operation in FastAPI's style: its summary and operation id come from it. */
  readonly name: string;
  readonly description: string;
  readonly pathParameters?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly success: ResponseDescription;
  /** What may go wrong besides a bad key and an overloaded service, which may happen everywhere. */
  readonly failures: readonly FailureDescription[];
}

interface ResponseDescription {
  readonly status: number;
  /** Undefined: any JSON. */
  readonly schema?: z.ZodType;
}

export interface FailureDescription extends ResponseDescription {
  readonly description: string;
}

const Detail = z.object({ detail: z.string() });
const InvalidKey = z.object({ error: z.string(), message: z.string() });

const invalid: FailureDescription = {
  status: 422,
  description: "Validation Error",
  schema: HTTPValidationError,
};
const foreignTenant: FailureDescription = {
  status: 403,
  description: "tenant_id is not the caller's",
  schema: Detail,
};
const tooLarge: FailureDescription = {
  status: 413,
  description: "Request exceeds a limit, which the answer names",
  schema: Detail,
};
const failed: FailureDescription = { status: 500, description: "Internal error", schema: Detail };

/** These may be answered to any request. */
export const EVERYWHERE: readonly FailureDescription[] = [
  { status: 401, description: "API key absent, invalid or revoked", schema: InvalidKey },
  { status: 503, description: "Not able to serve at the moment; see Retry-After", schema: Detail },
];

/** The five operations of the interface and what was added to them. An addition to it is an addition to this list. */
export const OPERATIONS: readonly OperationDescription[] = [
  {
    method: "get",
    path: "/",
    name: "health",
    description: "Health check.",
    success: { status: 200 },
    failures: [failed],
  },
  {
    method: "post",
    path: "/enhance_task",
    name: "enhance_task",
    description: "Searches past knowledge and returns the input enhanced with recommendations.",
    body: AgentInput,
    success: { status: 200, schema: EnhancedResponse },
    failures: [foreignTenant, tooLarge, invalid, failed],
  },
  {
    method: "post",
    path: "/store_knowledge",
    name: "store_knowledge",
    description: "Queues the record of an interaction for background processing and returns at once.",
    body: AgentKnowledgeUpload,
    success: { status: 202, schema: z.record(z.string(), z.string()) },
    failures: [foreignTenant, tooLarge, invalid, failed],
  },
  {
    method: "post",
    path: "/delete_by_intent",
    name: "delete_by_intent",
    description: "Deletes the tenant's documents whose intent is similar to the given one.",
    query: DeleteByIntent,
    success: { status: 200, schema: z.record(z.string(), z.unknown()) },
    failures: [foreignTenant, tooLarge, invalid, failed],
  },
  {
    method: "get",
    path: "/knowledge_status/{job_id}",
    name: "knowledge_status",
    description: "Status of an upload job: processing, completed or failed.",
    pathParameters: KnowledgeStatusPath,
    success: { status: 200 },
    failures: [{ status: 404, description: "Job not found", schema: Detail }, invalid, failed],
  },
  {
    method: "post",
    path: "/feedback",
    name: "feedback",
    description:
      "Tells how a task ended that began with an enhancement, for callers that do not upload it. The last one told counts.",
    body: Feedback,
    success: { status: 200, schema: z.object({ status: z.string() }) },
    failures: [
      { status: 404, description: "Enhancement not found", schema: Detail },
      tooLarge,
      invalid,
      failed,
    ],
  },
  {
    method: "get",
    path: "/uplift",
    name: "uplift",
    description:
      "What advice is worth to the tenant: success with it and without it, overall and divided, with intervals that hold at every look.",
    success: { status: 200, schema: z.record(z.string(), z.unknown()) },
    failures: [failed],
  },
];
