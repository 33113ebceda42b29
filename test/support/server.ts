/** A real server process, run from the build as a user runs it. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly process: ChildProcess;
  /** All it wrote so far. */
  output(): { readonly stdout: string; readonly stderr: string };
  /** Sends the signal and answers the exit code, null when it was killed. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface ServerOptions {
  readonly dataDir: string;
  readonly keys?: readonly string[];
  readonly words?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export async function startServer({
  dataDir,
  keys = ["key-a", "key-b"],
  words = [],
  environment = {},
}: ServerOptions): Promise<RunningServer> {
  const child = spawn(process.execPath, [MAIN, "serve", ...words], {
    env: {
      PATH: process.env["PATH"],
      WHETSTONE_PORT: "0",
      WHETSTONE_DATA_DIR: dataDir,
      WHETSTONE_BOOTSTRAP_KEYS: keys.join(","),
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
      const serving = /"port":(\d+),[^\n]*"msg":"serving"/.exec(stdout);
      if (serving) resolve(Number(serving[1]));
    });
    void exited.then((code) => reject(new Error(`the server ended with ${code}: ${stdout}${stderr}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid ?? -1,
    process: child,
    output: () => ({ stdout, stderr }),
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      return exited;
    },
  };
}

/** Runs a command to its end. */
export async function runCommand(
  words: readonly string[],
  { dataDir, environment = {} }: Omit<ServerOptions, "keys" | "words">,
) {
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: { PATH: process.env["PATH"], WHETSTONE_DATA_DIR: dataDir, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, stdout, stderr };
}
