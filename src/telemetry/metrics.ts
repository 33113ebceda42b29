/** Counters and timings for Prometheus. No tenant and no key is ever a label. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { JobState } from "../domain/job.ts";

export interface Metrics {
  requestEnded(request: {
    readonly route: string;
    readonly method: string;
    readonly status: number;
    readonly seconds: number;
  }): void;
  jobEnded(job: {
    readonly result: "completed" | "failed" | "postponed" | "lost";
    readonly seconds: number;
  }): void;
  enhanced(result: "advised" | "abstained" | "held out"): void;
  /** The whole page, as Prometheus reads it. */
  page(): Promise<{ readonly contentType: string; readonly text: string }>;
}

export function createMetrics(countJobs: () => Promise<Record<JobState, number>>): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: "whetstone_" });

  const requests = new Counter({
    name: "whetstone_http_requests_total",
    help: "Requests answered",
    labelNames: ["route", "method", "status"],
    registers,
  });
  const requestSeconds = new Histogram({
    name: "whetstone_http_request_seconds",
    help: "Time from the request's head to its answer",
    labelNames: ["route"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  const jobSeconds = new Histogram({
    name: "whetstone_job_seconds",
    help: "Time to learn from an upload, by result",
    labelNames: ["result"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
    registers,
  });
  const enhancements = new Counter({
    name: "whetstone_enhancements_total",
    help: "Enhancements, with advice or without",
    labelNames: ["result"],
    registers,
  });
  const jobs = new Gauge({
    name: "whetstone_jobs",
    help: "Jobs by state",
    labelNames: ["state"],
    registers,
    async collect() {
      for (const [state, count] of Object.entries(await countJobs())) jobs.set({ state }, count);
    },
  });

  return {
    requestEnded({ route, method, status, seconds }) {
      requests.inc({ route, method, status });
      requestSeconds.observe({ route }, seconds);
    },
    jobEnded: ({ result, seconds }) => jobSeconds.observe({ result }, seconds),
    enhanced: (result) => enhancements.inc({ result }),
    page: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
