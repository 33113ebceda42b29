import type { Interaction } from "../../domain/interaction.ts";
import type { AgentKnowledgeUpload } from "./schemas.ts";

/** The interaction in an upload; who sent it is no part of it. */
export function uploadedInteraction(upload: Omit<AgentKnowledgeUpload, "tenant_id">): Interaction {
  return {
    query: upload.query,
    turns: upload.turns,
    success: upload.success,
    agentType: upload.agent_type,
    timestamp: upload.timestamp ?? null,
    metadata: upload.metadata,
  };
}
