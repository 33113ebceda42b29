/**
 * One PostgreSQL for a whole test run. The first test file that needs it starts it, the others find it; a keeper
 * process stops it and removes its files when the run is over, also when the run was killed.
 */
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread } from "node:worker_threads";
import { Client } from "pg";
import { findBinaries, type User, unprivileged } from "./postgres-binaries.ts";

/** The superuser's URL, or why there is none. */
export type Server = { readonly url: string } | { readonly missing: string };

/** Test files run in processes (or threads) of one run; outside of a test runner a process is a run of its own. */
const RUN = process.env.VITEST !== undefined && isMainThread ? process.ppid : process.pid;
const LONGEST_START_MS = 300_000;

export async function sharedServer(): Promise<Server> {
  const folder = join(tmpdir(), `whetstone-postgres-${userInfo().uid}-${RUN}`);
  const answer = join(folder, "server.json");
  const deadline = Date.now() + LONGEST_START_MS;
  while (Date.now() < deadline) {
    if (takeFolder(folder)) {
      const server = await startServer(folder).catch((error: unknown) => {
        keep(folder, null);
        return { missing: sentenceOf(error) };
      });
      writeFileSync(`${answer}.new`, JSON.stringify(server));
      renameSync(`${answer}.new`, answer);
    }
    if (existsSync(answer)) return JSON.parse(readFileSync(answer, "utf8")) as Server;
    // whoever was starting it is gone: begin again
    if (!isAlive(Number(readIfThere(join(folder, "starter")))))
      rmSync(folder, { recursive: true, force: true });
    await sleep(100);
  }
  return { missing: "PostgreSQL did not start in time" };
}

function takeFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o755 });
  } catch {
    return false;
  }
  writeFileSync(join(folder, "starter"), String(process.pid));
  return true;
}

async function startServer(folder: string): Promise<Server> {
  const user = unprivileged();
  const bin = findBinaries(user);
  const password = randomBytes(12).toString("hex");
  const port = await freePort();
  const data = makeCluster({ folder, bin, user, password });
  const log = openSync(join(folder, "log"), "a");
  const options = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    max_connections: "300",
    shared_buffers: "64MB",
    // nothing here has to outlive the run
    fsync: "off",
    full_page_writes: "off",
    jit: "off",
  };
  const server = spawn(
    join(bin, "postgres"),
    ["-D", data, ...Object.entries(options).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    { ...user, cwd: data, env: ENVIRONMENT, detached: true, stdio: ["ignore", log, log] },
  );
  server.unref();
  if (server.pid === undefined) throw new Error("PostgreSQL could not be started");
  keep(folder, server.pid);
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  for (let waited = 0; !(await answers(url)); waited += 50) {
    if (waited > 30_000 || server.exitCode !== null) {
      throw new Error(`PostgreSQL did not come up: ${readIfThere(join(folder, "log")).slice(-500)}`);
    }
    await sleep(50);
  }
  return { url };
}

const ENVIRONMENT = { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" };

interface Cluster {
  readonly folder: string;
  readonly bin: string;
  readonly user: User;
  readonly password: string;
}

function makeCluster({ folder, bin, user, password }: Cluster): string {
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, user.uid, user.gid);
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, password, { mode: 0o600 });
  chownSync(passwordFile, user.uid, user.gid);
  const made = spawnSync(
    join(bin, "initdb"),
    [
      "-D",
      data,
      "-U",
      "postgres",
      "--auth=scram-sha-256",
      `--pwfile=${passwordFile}`,
      "--no-locale",
      "--encoding=UTF8",
      "--no-sync",
    ],
    { ...user, cwd: data, env: ENVIRONMENT, encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr.slice(-500)}`);
  return data;
}

/**
 * Ends the server, by its own number, and removes the folder when the run is no longer there; a run that nobody waited
 * for counts as gone.
 */
function keep(folder: string, server: number | null): void {
  const script = `
    there() { if [ -d /proc/self ]; then grep -q '^State:[[:space:]]*[^ZX]' /proc/$1/status; else kill -0 $1; fi 2>/dev/null; }
    while there ${RUN} && there ${server ?? RUN}; do sleep 1; done
    ${server === null ? "" : `kill -INT ${server}; while there ${server}; do sleep 0.1; done`}
    rm -rf '${folder}'`;
  spawn("sh", ["-c", script], { detached: true, stdio: "ignore", cwd: "/" }).unref();
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("SELECT 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function readIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
