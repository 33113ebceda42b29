import { createHash } from "node:crypto";
import type { JsonSchema } from "./json-schema.ts";
import type { OpenApiDocument, OpenApiOperation } from "./openapi.ts";

const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --muted: #57606a; --line: #d8dee4; --panel: #f6f8fa; --accent: #0a5dc2; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --muted: #9aa5b1; --line: #30363d; --panel: #161b22; --accent: #6cb2ff; }
}
body { margin: 0 auto; max-width: 56rem; padding: 1.5rem; color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
h1, h2, h3, h4 { line-height: 1.25; }
h2 { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
a { color: var(--accent); }
code, pre { font: 0.9rem/1.5 ui-monospace, monospace; }
pre { padding: 0.75rem 1rem; overflow-x: auto; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.4rem 0.75rem 0.4rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
caption { text-align: left; color: var(--muted); padding: 0.5rem 0; }
.method { color: var(--accent); font-weight: 600; text-transform: uppercase; }
.muted { color: var(--muted); }
`;

/** All the page needs: its own style sheet, known by its hash. */
export const DOCS_PAGE_CSP = `default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`;

/** The OpenAPI document as a page for people. It loads nothing, so it works offline and without scripts. */
export function docsPage(document: OpenApiDocument): string {
  const { info, components } = document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const contents = operations.map(
    ({ path, method, operation }) =>
      `<li><a href="#${escape(operation.operationId)}">${signature(method, path)}</a> <span class="muted">${escape(operation.summary)}</span></li>`,
  );
  const models = Object.entries(components.schemas);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(info.title)} ${escape(info.version)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${escape(info.title)} <span class="muted">${escape(info.version)}</span></h1>
<p>${escape(info.description)}</p>
<p>Every operation needs the API key in the header <code>x-api-key</code>. This page as data: <a href="/openapi.json">/openapi.json</a>.</p>
</header>
<nav aria-label="Operations"><ul>
${contents.join("\n")}
</ul></nav>
<main>
${operations.map(({ path, method, operation }) => operationSection(path, method, operation, document)).join("\n")}
<h2 id="models">Models</h2>
${models.map(([name, schema]) => `<h3 id="${escape(name)}">${escape(name)}</h3>\n${fieldTable(schema, name)}`).join("\n")}
</main>
</body>
</html>
`;
}

function operationSection(
  path: string,
  method: string,
  operation: OpenApiOperation,
  document: OpenApiDocument,
): string {
  const body = operation.requestBody?.content["application/json"].schema;
  const responses = Object.entries(operation.responses).map(
    ([status, { description, content }]) =>
      `<tr><th scope="row">${status}</th><td>${escape(description)}</td><td>${typeOf(content["application/json"].schema)}</td></tr>`,
  );
  return `<section aria-labelledby="${escape(operation.operationId)}">
<h2 id="${escape(operation.operationId)}">${signature(method, path)}</h2>
<p>${escape(operation.description)}</p>
${parameterTable(operation)}${body === undefined ? "" : `<p>Request body: ${typeOf(body)}</p>\n${fieldTable(resolve(body, document), "Request body")}`}
<h3>Example</h3>
<pre tabindex="0"><code>${escape(exampleCall(path, method, operation, document))}</code></pre>
<table><caption>Responses</caption>
<thead><tr><th scope="col">Status</th><th scope="col">Meaning</th><th scope="col">Body</th></tr></thead>
<tbody>${responses.join("")}</tbody></table>
</section>`;
}

function signature(method: string, path: string): string {
  return `<code><span class="method">${escape(method)}</span> ${escape(path)}</code>`;
}

function parameterTable({ parameters = [] }: OpenApiOperation): string {
  if (parameters.length === 0) return "";
  const rows = parameters.map(({ name, schema, required, description = "" }) =>
    fieldRow(name, schema, required, description),
  );
  return table(`${parameters[0]?.in === "path" ? "Path" : "Query"} parameters`, rows);
}

function fieldTable(schema: JsonSchema, caption: string): string {
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const known = typeof field === "boolean" ? {} : field;
    return fieldRow(name, known, schema.required?.includes(name) ?? false, known.description ?? "");
  });
  return table(`${caption}${schema.description === undefined ? "" : `: ${schema.description}`}`, rows);
}

function table(caption: string, rows: readonly string[]): string {
  return `<table><caption>${escape(caption)}</caption>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Required</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.join("")}</tbody></table>
`;
}

function fieldRow(name: string, schema: JsonSchema, required: boolean, meaning: string): string {
  const standard = schema.default === undefined ? "" : ` Default: ${JSON.stringify(schema.default)}.`;
  return `<tr><th scope="row"><code>${escape(name)}</code></th><td>${typeOf(schema)}</td><td>${required ? "yes" : "no"}</td><td>${escape(meaning + standard)}</td></tr>`;
}

/** HTML for the type: names of models are links. */
function typeOf(schema: JsonSchema | boolean): string {
  if (typeof schema === "boolean") return "anything";
  if (schema.$ref !== undefined) {
    const name = escape(nameIn(schema.$ref));
    return `<a href="#${name}">${name}</a>`;
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" or ");
  const { items, additionalProperties } = schema;
  if (schema.type === "array" && items !== undefined && !Array.isArray(items))
    return `list of ${typeOf(items)}`;
  if (typeof additionalProperties === "object" && additionalProperties.type !== undefined) {
    return `object of ${typeOf(additionalProperties)}`;
  }
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? "anything"];
  return escape(types.join(" or ") + (schema.format === undefined ? "" : ` (${schema.format})`));
}

function exampleCall(
  path: string,
  method: string,
  operation: OpenApiOperation,
  document: OpenApiDocument,
): string {
  const query = (operation.parameters ?? []).filter((one) => one.in === "query" && one.required);
  const search = query.map(({ name }) => `${name}=${name === "tenant_id" ? "$API_KEY" : name}`).join("&");
  const lines = [
    `curl -X ${method.toUpperCase()} "$BASE_URL${path.replaceAll(/[{}]/g, "")}${search === "" ? "" : `?${search}`}"`,
    `-H "x-api-key: $API_KEY"`,
  ];
  const body = operation.requestBody?.content["application/json"].schema;
  if (body !== undefined) {
    const example = JSON.stringify(exampleOf(body, document)).replace(
      '"tenant_id":"tenant_id"',
      `"tenant_id":"'"$API_KEY"'"`,
    );
    lines.push(`-H "content-type: application/json"`, `-d '${example}'`);
  }
  return lines.join(" \\\n  ");
}

/** The required fields, each with a value that says what it is. */
function exampleOf(schema: JsonSchema | boolean, document: OpenApiDocument, name = "text"): unknown {
  const { type, items, properties = {}, required = [] } = resolve(schema, document);
  if (type === "integer" || type === "number") return 1;
  if (type === "array" && items !== undefined && !Array.isArray(items))
    return [exampleOf(items, document, name)];
  if (type !== "object") return name;
  return Object.fromEntries(
    required.map((field) => [field, exampleOf(properties[field] ?? {}, document, field)]),
  );
}

function resolve(schema: JsonSchema | boolean, document: OpenApiDocument): JsonSchema {
  if (typeof schema === "boolean") return {};
  if (schema.$ref === undefined) return schema;
  return document.components.schemas[nameIn(schema.$ref)] ?? {};
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
