/**
 * What a request costs at the least: node:http with a key look-up, JSON.parse and the same zod schema. With `durable`
 * it stores the upload through the same queue, so that what is left between the two is our HTTP layer alone.
 */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { newId } from "../../src/domain/ids.ts";
import { AgentKnowledgeUpload } from "../../src/http/interface/schemas.ts";
import { openSqlite } from "../../src/stores/sqlite/sqlite.ts";

const [mode = "plain", directory = "", key = ""] = process.argv.slice(2);
const known = new Set([createHash("sha256").update(key).digest("hex")]);
const stores = mode === "durable" ? openSqlite({ directory, threaded: false, indexBytes: 1e6 }) : null;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    void answer(Buffer.concat(chunks), String(request.headers["x-api-key"])).then(({ status, body }) => {
      response.writeHead(status, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      });
      response.end(body);
    });
  });
});

async function answer(bytes: Buffer, given: string): Promise<{ status: number; body: string }> {
  if (!known.has(createHash("sha256").update(given).digest("hex"))) return { status: 401, body: "{}" };
  const read = AgentKnowledgeUpload.safeParse(JSON.parse(bytes.toString()));
  if (!read.success) return { status: 422, body: "{}" };
  const jobId = newId();
  await stores?.queue.enqueue("bare", { jobId, payload: bytes, createdAt: Date.now() });
  return { status: 202, body: JSON.stringify({ status: "accepted", tenant_id: given, job_id: jobId }) };
}

server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
