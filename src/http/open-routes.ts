/** What is answered without a key: health for those who run the service, and what the interface is. Nothing about tenants. */
import type { Metrics } from "../telemetry/metrics.ts";
import { DOCS_PAGE_CSP, docsPage } from "./interface/docs-page.ts";
import { type Answer, detail, json } from "./exchange.ts";
import { openApiDocument } from "./interface/openapi.ts";
import type { Route } from "./router.ts";

export interface OpenParts {
  readonly health: Health;
  readonly metrics: Metrics;
  /** false: metrics have a port of their own. */
  readonly metricsHere: boolean;
}

/** What keeps the service from serving, by name; null where all is well. */
export type Health = () => Promise<Readonly<Record<string, string | null>>>;

export function openRoutes({ health, metrics, metricsHere }: OpenParts): Route<null>[] {
  const document = openApiDocument();
  const specification = JSON.stringify(document);
  const page = docsPage(document);

  const ready = async (verbose: boolean): Promise<Answer> => {
    const checks = await health();
    const healthy = Object.values(checks).every((trouble) => trouble === null);
    const summary = { status: healthy ? "ready" : "not ready" };
    const body = verbose
      ? {
          ...summary,
          checks: Object.fromEntries(
            Object.entries(checks).map(([name, trouble]) => [name, trouble ?? "ok"]),
          ),
        }
      : summary;
    return json(healthy ? 200 : 503, body, healthy ? {} : { "retry-after": "2" });
  };

  return [
    { method: "GET", path: "/livez", answer: async () => json(200, { status: "alive" }) },
    {
      method: "GET",
      path: "/readyz",
      answer: (exchange) => ready(new URLSearchParams(exchange.search).has("verbose")),
    },
    {
      method: "GET",
      path: "/openapi.json",
      answer: async () => ({
        status: 200,
        headers: { "content-type": "application/json" },
        body: specification,
      }),
    },
    {
      method: "GET",
      path: "/docs",
      answer: async () => ({
        status: 200,
        headers: {
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": DOCS_PAGE_CSP,
        },
        body: page,
      }),
    },
    {
      method: "GET",
      path: "/metrics",
      async answer(exchange) {
        if (!metricsHere || !exchange.fromLoopback) return detail(404, "Not Found");
        const { contentType, text } = await metrics.page();
        return { status: 200, headers: { "content-type": contentType }, body: text };
      },
    },
  ];
}
