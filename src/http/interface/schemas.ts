import * as z from "zod";
import { datetime, integer, share } from "../reading/lax-types.ts";

/**
 * The messages of the interface. Each schema is the one source of its type, of what is accepted, of the
 * problems reported and of the OpenAPI document. A field with a default or `optional()` may be left out.
 */

const tenantId = z
  .string()
  .meta({ description: "The recommendation collection (tenant): the API key of the caller." });
const agentType = z.string().nullable().default(null);
/** Free-form: whatever keys the sender chose. */
const freeForm = z.record(z.string(), z.unknown());

export const AgentInput = z
  .object({
    tenant_id: tenantId,
    input_text: z.string().meta({ description: "The agent's input or query." }),
    context: z
      .record(z.string(), z.string())
      .default(() => ({}))
      .meta({ description: "Extra context about the agent's current state." }),
    agent_type: agentType.meta({ description: "Type of agent making the request." }),
  })
  .meta({ description: "What an agent is about to work on." });

export const EnhancedResponse = z
  .object({
    response: z.string().meta({ description: "The input, enhanced with recommendations." }),
    metadata: freeForm.nullish().meta({ description: "Where the recommendations come from." }),
  })
  .meta({ description: "The input of an agent, enhanced." });

export const AgentTurn = z
  .object({
    turn: integer.meta({ description: "Turn number within the interaction." }),
    inputs: z.string().meta({ description: "The flattened input the agent sees." }),
    decision: z.string().meta({ description: "The output or action of the agent." }),
    memory: z
      .string()
      .nullable()
      .default(null)
      .meta({ description: "What the agent remembers from this turn." }),
    result: z.string().nullable().default(null).meta({ description: "The result of the action." }),
  })
  .meta({ description: "One turn of an interaction." });

export const AgentKnowledgeUpload = z
  .object({
    tenant_id: tenantId,
    query: z.string().meta({ description: "The original user query or instruction." }),
    turns: z.array(AgentTurn).meta({ description: "The agent's turns, in order." }),
    success: z
      .boolean()
      .nullable()
      .default(null)
      .meta({ description: "Whether the agent completed its task; null: unknown." }),
    agent_type: agentType.meta({
      description: "Type of agent, for example a browser agent or a voice agent.",
    }),
    timestamp: datetime.optional().meta({ description: "When the interaction occurred (ISO 8601)." }),
    metadata: freeForm.nullable().default(null).meta({
      description: "Keys of the caller's choice; enhancement_id names the enhancement it followed.",
    }),
  })
  .meta({ description: "The record of an agent's interaction." });

export const DeleteByIntent = z.object({
  tenant_id: tenantId,
  intent: z.string().meta({ description: "Intent to match against." }),
  similarity_threshold: z
    .number()
    .nullable()
    .default(0.5)
    .meta({ description: "Documents at least this similar are deleted." }),
  dry_run: z
    .boolean()
    .default(false)
    .meta({ description: "Count what would be deleted, and delete nothing." }),
});

export const KnowledgeStatusPath = z.object({
  job_id: z.string().meta({ description: "The job identifier returned from store_knowledge." }),
});

export const Feedback = z
  .object({
    enhancement_id: z.string().meta({ description: "From the metadata of the enhancement's answer." }),
    success: z.boolean().nullable().default(null).meta({ description: "Whether the task was completed." }),
    score: share.nullable().default(null).meta({
      description: "How well, from 0 to 1. Success or score is required; score counts where both are given.",
    }),
    note: z.string().nullable().default(null).meta({ description: "For people; stored redacted." }),
  })
  .meta({ description: "How a task ended that began with an enhancement." });

export const ValidationError = z.object({
  loc: z.array(z.union([z.string(), z.int()])).meta({ title: "Location" }),
  msg: z.string().meta({ title: "Message" }),
  type: z.string().meta({ title: "Error Type" }),
});

export const HTTPValidationError = z.object({ detail: z.array(ValidationError).optional() });

export type AgentInput = z.output<typeof AgentInput>;
export type EnhancedResponse = z.output<typeof EnhancedResponse>;
export type AgentKnowledgeUpload = z.output<typeof AgentKnowledgeUpload>;
export type DeleteByIntent = z.output<typeof DeleteByIntent>;
