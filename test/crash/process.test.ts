/** A server as a process: how it starts, ends, and gets over a death. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { runCommand, startServer, type ServerOptions } from "../support/server.ts";
import { upload } from "../support/service.ts";

async function start(options: ServerOptions) {
  const server = await startServer(options);
  onTestFinished(async () => void (await server.stop("SIGKILL")));
  return server;
}

async function post(url: string, target: string, body: unknown, key = "key-a") {
  const response = await fetch(url + target, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

async function untilCompleted(url: string, jobId: string | undefined, key = "key-a"): Promise<void> {
  for (let i = 0; i < 400; i++) {
    const response = await fetch(`${url}/knowledge_status/${jobId}`, { headers: { "x-api-key": key } });
    if (((await response.json()) as { status: string }).status === "completed") return;
    await sleep(25);
  }
  throw new Error("the job did not complete");
}

describe("a first start", () => {
  it("makes a key, prints it once on stderr with a line to try, and the line works", async () => {
    const dataDir = temporaryFolder();
    const server = await start({ dataDir, keys: [] });
    const key = /wst_\w+/.exec(server.output().stderr)?.[0] ?? "";
    expect(server.output().stderr).toContain("curl -s");
    expect(
      (await post(server.url, "/enhance_task", { tenant_id: key, input_text: "hello" }, key)).status,
    ).toBe(200);
    expect(server.output().stdout).not.toContain(key);
    await server.stop();
    const again = await start({ dataDir, keys: [] });
    expect(again.output().stderr).not.toContain("wst_");
    expect(
      (await post(again.url, "/enhance_task", { tenant_id: key, input_text: "hello" }, key)).status,
    ).toBe(200);
  });

  it("keeps the secret to its owner, and the key nowhere on disk", async () => {
    const dataDir = temporaryFolder();
    const server = await start({ dataDir, keys: ["canary-key-never-on-disk"] });
    const stored = await post(
      server.url,
      "/store_knowledge",
      upload("x", { tenant_id: "canary-key-never-on-disk" }),
      "canary-key-never-on-disk",
    );
    expect(stored.status).toBe(202);
    await server.stop();
    expect(statSync(join(dataDir, "secret")).mode & 0o777).toBe(0o600);
    for (const file of readdirSync(dataDir)) {
      expect(readFileSync(join(dataDir, file)).includes("canary-key-never-on-disk")).toBe(false);
    }
  });

  it("refuses a database that was made with another secret", async () => {
    const dataDir = temporaryFolder();
    const first = await start({ dataDir, environment: { WHETSTONE_SECRET: "the first secret of all" } });
    await first.stop();
    const doctor = await runCommand(["migrate"], {
      dataDir,
      environment: { WHETSTONE_SECRET: "quite another secret" },
    });
    expect(doctor.code).toBe(2);
    expect(doctor.stderr).toContain("another secret");
  });
});

describe("SIGTERM", () => {
  it("ends the process in time, with what was uploaded safe", async () => {
    const dataDir = temporaryFolder();
    const server = await start({ dataDir });
    const stored = await post(server.url, "/store_knowledge", upload("plan the standup"));
    const begun = performance.now();
    expect(await server.stop("SIGTERM")).toBe(0);
    expect(performance.now() - begun).toBeLessThan(25_000);
    const again = await start({ dataDir });
    await untilCompleted(again.url, stored.body["job_id"]);
  });
});

describe("a killed worker's job", () => {
  it("runs again soon after a restart, without waiting for its lease", async () => {
    const dataDir = temporaryFolder();
    const server = await start({ dataDir, words: ["--no-worker"] });
    const stored = await post(server.url, "/store_knowledge", upload("plan the standup"));
    await server.stop("SIGKILL");
    const holder = await runCommand(["jobs", "list", "--tenant", await firstTenant(dataDir)], { dataDir });
    expect(holder.stdout).toContain("queued");
    const again = await start({ dataDir });
    const begun = performance.now();
    await untilCompleted(again.url, stored.body["job_id"]);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});

async function firstTenant(dataDir: string): Promise<string> {
  const { stdout } = await runCommand(["tenants", "list"], { dataDir });
  return stdout.split(" ")[0] ?? "";
}

describe("a set-up that is wrong", () => {
  it("ends the process with a sentence, also where the database is open already", async () => {
    const dataDir = temporaryFolder();
    const wrong = await runCommand(["serve"], {
      dataDir,
      environment: { WHETSTONE_EMBEDDER: "openai", WHETSTONE_PORT: "0" },
    });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("WHETSTONE_EMBEDDER_URL") });
    const server = await start({ dataDir });
    const taken = await runCommand(["serve"], {
      dataDir,
      environment: { WHETSTONE_PORT: String(server.port) },
    });
    expect(taken).toMatchObject({ code: 2, stderr: expect.stringContaining("is taken") });
  });
});
