import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { DOCS_PAGE_CSP, docsPage } from "../../src/http/interface/docs-page.ts";
import { OPERATIONS } from "../../src/http/interface/operations-described.ts";
import { openApiDocument } from "../../src/http/interface/openapi.ts";

const document = openApiDocument();

describe("the OpenAPI document", () => {
  it("has the operations of the contract under FastAPI's names", () => {
    const ids = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
    );
    expect(ids).toEqual([
      "get / health__get",
      "post /enhance_task enhance_task_enhance_task_post",
      "post /store_knowledge store_knowledge_store_knowledge_post",
      "post /delete_by_intent delete_by_intent_delete_by_intent_post",
      "get /knowledge_status/{job_id} knowledge_status_knowledge_status__job_id__get",
      "post /feedback feedback_feedback_post",
      "get /uplift uplift_uplift_get",
    ]);
  });

  it("has the components of the contract with their required fields", () => {
    const required = Object.entries(document.components.schemas).map(([name, schema]) => [
      name,
      schema.required,
    ]);
    expect(Object.fromEntries(required)).toEqual({
      AgentInput: ["tenant_id", "input_text"],
      AgentKnowledgeUpload: ["tenant_id", "query", "turns"],
      AgentTurn: ["turn", "inputs", "decision"],
      EnhancedResponse: ["response"],
      Feedback: ["enhancement_id"],
      HTTPValidationError: undefined,
      ValidationError: ["loc", "msg", "type"],
    });
  });

  it("describes fields as the schemas read them", () => {
    expect(document.components.schemas.AgentKnowledgeUpload?.properties).toMatchObject({
      turns: { title: "Turns", type: "array", items: { $ref: "#/components/schemas/AgentTurn" } },
      success: { type: ["boolean", "null"] },
      timestamp: { type: "string", format: "date-time" },
    });
    expect(document.components.schemas.AgentTurn?.properties?.turn).toEqual({
      title: "Turn",
      type: "integer",
      description: "Turn number within the interaction.",
    });
  });

  it("describes query parameters with their defaults", () => {
    const parameters = document.paths["/delete_by_intent"]?.post?.parameters ?? [];
    expect(parameters.map(({ name, required, schema }) => [name, required, schema.default])).toEqual([
      ["tenant_id", true, undefined],
      ["intent", true, undefined],
      ["similarity_threshold", false, 0.5],
      ["dry_run", false, false],
    ]);
  });

  it("documents what may go wrong", () => {
    const statuses = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ responses }) => Object.keys(responses).join(" ")),
    );
    expect(statuses).toEqual([
      "200 401 500 503",
      "200 401 403 413 422 500 503",
      "202 401 403 413 422 500 503",
      "200 401 403 413 422 500 503",
      "200 401 404 422 500 503",
      "200 401 404 413 422 500 503",
      "200 401 500 503",
    ]);
  });

  it("asks for the key in a header, everywhere", () => {
    expect(document.security).toEqual([{ APIKeyHeader: [] }]);
    expect(document.components.securitySchemes).toEqual({
      APIKeyHeader: { type: "apiKey", in: "header", name: "x-api-key" },
    });
  });

  it("grows with the list of operations", () => {
    const addition = {
      method: "get",
      path: "/weather",
      name: "weather",
      description: "How it will be.",
      query: z.object({ days: z.number().default(30) }),
      success: { status: 200 },
      failures: [],
    } as const;
    expect(openApiDocument([...OPERATIONS, addition]).paths["/weather"]?.get).toMatchObject({
      operationId: "weather_weather_get",
      parameters: [{ name: "days", in: "query", required: false }],
    });
  });
});

describe("the documentation page", () => {
  const page = docsPage(document);

  it("shows every operation and every model", () => {
    for (const path of Object.keys(document.paths)) expect(page).toContain(`</span> ${path}</code></h2>`);
    for (const name of Object.keys(document.components.schemas)) expect(page).toContain(`<h3 id="${name}">`);
  });

  it("has an example call with the required fields", () => {
    expect(page).toContain(
      "curl -X POST &quot;$BASE_URL/delete_by_intent?tenant_id=$API_KEY&amp;intent=intent&quot;",
    );
    expect(page).toContain("&quot;turns&quot;:[{&quot;turn&quot;:1,&quot;inputs&quot;:&quot;inputs&quot;");
  });

  it("loads nothing, and runs nothing, so that its policy can forbid it", () => {
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(|https?:|\son\w+=|\sstyle=/);
    const style = /<style>(.*)<\/style>/s.exec(page)?.[1] ?? "";
    expect(DOCS_PAGE_CSP).toContain(`'sha256-${createHash("sha256").update(style).digest("base64")}'`);
  });

  it("links only to places on the page, and to the document", () => {
    const targets = [...page.matchAll(/href="([^"]*)"/g)].map(([, target = ""]) => target);
    const missing = targets.filter(
      (target) => target !== "/openapi.json" && !page.includes(`id="${target.slice(1)}"`),
    );
    expect(missing).toEqual([]);
  });
});
