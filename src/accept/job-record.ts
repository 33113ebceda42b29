/** What a caller is told about a job, as the contract shapes it. */
import type { Job } from "../domain/job.ts";

const NOTE =
  "Processing failed. The upload is kept. Please pass error_message and job_id to the operators of this service.";

export function jobRecord(job: Job): Record<string, unknown> {
  switch (job.state) {
    case "queued":
      return { status: "processing", message: "Waiting to be processed", ...times(job) };
    case "running":
      return { status: "processing", message: "Being processed", ...times(job) };
    case "completed":
      return {
        status: "completed",
        message: job.outcome?.notes.length ? `Processed: ${job.outcome.notes.join("; ")}` : "Processed",
        ...times(job),
        completed_at: isoMicroseconds(job.endedAt),
        insights: job.outcome?.insights ?? { created: 0, reinforced: 0, skipped: 0 },
      };
    case "failed": {
      const record = {
        status: "failed",
        message: "Processing failed",
        ...times(job),
        failed_at: isoMicroseconds(job.endedAt),
        error_message: job.sealedError ?? "",
        note: NOTE,
      };
      // the contract can be read as a flat record and as one keyed by the job's id: both work
      return { ...record, [job.jobId]: record };
    }
  }
}

function times(job: Job): Record<string, string> {
  const created = { created_at: isoMicroseconds(job.createdAt) };
  return job.startedAt === null ? created : { ...created, started_at: isoMicroseconds(job.startedAt) };
}

/** UTC, six digits, no zone: `2026-01-31T12:00:00.000000`. */
function isoMicroseconds(time: number | null): string {
  return `${new Date(time ?? 0).toISOString().slice(0, -1)}000`;
}
