/** A sentence of a caller that is kept by itself, redacted as uploads are. */
import { redact, type RedactOptions } from "./redact.ts";

export function redactText(text: string, options: RedactOptions): string {
  const alone = { turns: [], success: null, agentType: null, timestamp: null, metadata: null };
  return redact({ ...alone, query: text }, options).interaction.query;
}
