/** The operations of the contract: read the request, call the flow, shape the answer. */
import type * as z from "zod";
import type { Accepted, Upload } from "../accept/accept.ts";
import { jobRecord } from "../accept/job-record.ts";
import type { Advice, Advise } from "../advise/advise.ts";
import type { Forget, ForgetResult } from "../forget/forget.ts";
import type { TenantSettings } from "../domain/tenant.ts";
import type { Ledger, Told } from "../ports/ledger.ts";
import type { Queue } from "../ports/queue.ts";
import type { MeasureUplift } from "../prove/uplift.ts";
import type { Caller } from "./auth.ts";
import { type Answer, detail, type Exchange, header, json } from "./exchange.ts";
import { Flaw } from "./reading/flaw.ts";
import type { RequestLimits } from "./reading/limits.ts";
import { readBody } from "./reading/read-body.ts";
import { readQuery } from "./reading/read-query.ts";
import { unprocessable } from "./reading/validation.ts";
import type { Route } from "./router.ts";
import { AgentInput, AgentKnowledgeUpload, DeleteByIntent, Feedback } from "./interface/schemas.ts";
import { uploadedInteraction } from "./interface/uploaded-interaction.ts";
import { upliftBody } from "./interface/uplift-body.ts";

export interface OperationParts {
  readonly accept: (upload: Upload) => Promise<Accepted>;
  readonly advise: Advise;
  readonly forget: Forget;
  readonly queue: Queue;
  readonly limits: RequestLimits;
  readonly enhanced: (result: "advised" | "abstained" | "held out") => void;
  readonly ledger: Ledger;
  readonly measureUplift: MeasureUplift;
  readonly redactText: (text: string, options: { readonly personalData: boolean }) => string;
  readonly clock: () => number;
}

const NOT_YOURS = detail(403, "tenant_id does not match the API key");
const LONGEST_IDEMPOTENCY_KEY = 255;

export function contractRoutes(parts: OperationParts): Route<Caller>[] {
  const { accept, advise, forget, queue, limits, enhanced, ledger, clock } = parts;

  /** The validated body of a caller's own tenant, or the answer to give instead. */
  async function bodyOf<S extends z.ZodType<{ tenant_id: string }>>(
    schema: S,
    exchange: Exchange,
    caller: Caller,
  ) {
    const bytes = await exchange.readBody();
    const read = readBody(schema, bytes, header(exchange, "content-type"), limits);
    if (!read.ok) return { refusal: json(read.status, read.body) };
    return (await caller.owns(read.value.tenant_id)) ? { body: read.value, bytes } : { refusal: NOT_YOURS };
  }

  return [
    {
      method: "GET",
      path: "/",
      answer: async () => json(200, { status: "ok", service: "whetstone", version: "1.0.0" }),
    },
    {
      method: "POST",
      path: "/enhance_task",
      async answer(exchange, caller) {
        const read = await bodyOf(AgentInput, exchange, caller);
        if ("refusal" in read) return read.refusal;
        const { input_text: text, context, agent_type: agentType } = read.body;
        const { tenantId, settings } = caller;
        const advice = await advise({ tenantId, text, context, agentType, holdout: settings.holdout });
        enhanced(advice.heldOut ? "held out" : advice.abstained === null ? "advised" : "abstained");
        return json(200, enhancedResponse(advice));
      },
    },
    {
      method: "POST",
      path: "/store_knowledge",
      async answer(exchange, caller) {
        const key = header(exchange, "idempotency-key");
        if (key !== undefined && key.length > LONGEST_IDEMPOTENCY_KEY) {
          return detail(422, `Idempotency-Key is longer than ${LONGEST_IDEMPOTENCY_KEY} characters`);
        }
        const read = await bodyOf(AgentKnowledgeUpload, exchange, caller);
        if ("refusal" in read) return read.refusal;
        const upload = { tenantId: caller.tenantId, interaction: uploadedInteraction(read.body) };
        const once = key ? { once: { key, body: read.bytes } } : {};
        return acknowledgement(await accept({ ...upload, ...once }), read.body.tenant_id);
      },
    },
    {
      method: "POST",
      path: "/delete_by_intent",
      async answer(exchange, caller) {
        const read = readQuery(DeleteByIntent, exchange.search, limits);
        if (!read.ok) return json(read.status, read.body);
        const { tenant_id: named, intent, similarity_threshold: threshold, dry_run: dryRun } = read.value;
        if (!(await caller.owns(named))) return NOT_YOURS;
        const result = await forget({
          tenantId: caller.tenantId,
          intent,
          threshold: threshold ?? 0.5,
          dryRun,
        });
        return json(200, deleteResult(result, dryRun));
      },
    },
    {
      method: "GET",
      path: "/knowledge_status/{job_id}",
      async answer(_, caller, { job_id: jobId = "" }) {
        const job = await queue.find(caller.tenantId, jobId);
        return job === null ? detail(404, "Job not found") : json(200, jobRecord(job));
      },
    },
    {
      method: "POST",
      path: "/feedback",
      async answer(exchange, { tenantId, settings }) {
        const bytes = await exchange.readBody();
        const read = readBody(Feedback, bytes, header(exchange, "content-type"), limits);
        if (!read.ok) return json(read.status, read.body);
        const { enhancement_id: enhancementId, success, score, note } = read.value;
        const told = score ?? (success === null ? null : Number(success));
        if (told === null) {
          const { status, body } = unprocessable("body", [{ flaw: NO_OUTCOME, loc: [], input: read.value }]);
          return json(status, body);
        }
        const said = await ledger.tell(tenantId, enhancementId, {
          score: told,
          turns: null,
          at: clock(),
          source: "feedback",
          note: note === null ? null : parts.redactText(note.slice(0, LONGEST_NOTE), redaction(settings)),
        });
        return said === "unknown"
          ? detail(404, "Enhancement not found")
          : json(200, { status: FEEDBACK_STATUS[said] });
      },
    },
    {
      method: "GET",
      path: "/uplift",
      answer: async (_, { tenantId }) => json(200, upliftBody(await parts.measureUplift(tenantId))),
    },
  ];
}

const HELD_OUT = "held out by lot, to measure what recommendations are worth";
const LONGEST_NOTE = 1_000;
const NO_OUTCOME = new Flaw("value_error", "Value error, success or score is required", { error: {} });

const FEEDBACK_STATUS: Readonly<Record<Exclude<Told, "unknown">, string>> = {
  counted: "recorded",
  replaced: "replaced an earlier outcome",
  repeated: "known already",
  outdated: "a later outcome is known already",
};

function redaction({ redactPersonalData }: TenantSettings): { readonly personalData: boolean } {
  return { personalData: redactPersonalData ?? true };
}

function enhancedResponse({ response, ...advice }: Advice): unknown {
  return {
    response,
    metadata: {
      enhancement_id: advice.enhancementId,
      recommendations: advice.recommendations,
      abstained: advice.abstained,
      held_out: advice.heldOut,
      ...(advice.heldOut ? { held_out_reason: HELD_OUT } : {}),
      timings: advice.timings,
    },
  };
}

function acknowledgement(accepted: Accepted, tenantId: string): Answer {
  if (accepted.kind === "conflict") {
    return detail(422, "This Idempotency-Key was used for another request body");
  }
  if (accepted.kind === "running") {
    return detail(409, "A request with this Idempotency-Key is still being processed", {
      "retry-after": "1",
    });
  }
  const { jobId, kind } = accepted;
  return json(
    202,
    { status: "accepted", message: "Knowledge queued for processing", tenant_id: tenantId, job_id: jobId },
    {
      location: `/knowledge_status/${jobId}`,
      ...(kind === "replayed" ? { "idempotent-replayed": "true" } : {}),
    },
  );
}

function deleteResult({ matches, forgotten }: ForgetResult, dryRun: boolean): unknown {
  if (dryRun) {
    return {
      deleted_count: 0,
      status: `Dry run: ${matches.length} matching, nothing deleted`,
      matches: matches.map(({ jobId, intent, similarity }) => ({ job_id: jobId, intent, similarity })),
    };
  }
  const count = forgotten.episodes + forgotten.uploads;
  return {
    deleted_count: count,
    status:
      count === 0
        ? "Nothing matched"
        : `Deleted ${count}, and ${forgotten.insights} insights learned from nothing else`,
  };
}
