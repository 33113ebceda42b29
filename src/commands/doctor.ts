import { constants, type PathLike } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { unknownSettings } from "../config.ts";
import { openService } from "../service.ts";
import type { Command, Io } from "./command.ts";

export const doctor: Command = {
  usage: "doctor",
  summary: "Check the set-up and say what to do.",
  async run(_, io) {
    let troubles = 0;
    const check = async (name: string, look: () => Promise<string>): Promise<void> => {
      try {
        io.out(`ok       ${name}: ${await look()}`);
      } catch (error) {
        troubles += 1;
        io.out(`TROUBLE  ${name}: ${(error as Error).message}`);
      }
    };
    await check("node", async () => nodeVersion());
    await check("settings", async () => settings(io));
    await check("data folder", async () => dataFolder(io));
    await check("database", async () => database(io));
    await check("port", async () => port(io));
    io.out(troubles === 0 ? "all is well" : `${troubles} to mend`);
    return troubles === 0 ? 0 : 1;
  },
};

function nodeVersion(): string {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    throw new Error(`${process.versions.node} is too old: install Node 20.19 or newer`);
  return process.versions.node;
}

function settings(io: Io): string {
  io.config();
  const unknown = unknownSettings(io.environment);
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(", ")}; see docs/configuration.md`);
  return "all known";
}

async function dataFolder(io: Io): Promise<string> {
  const folder: PathLike = io.config().dataDir;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await access(folder, constants.R_OK | constants.W_OK);
  return folder;
}

async function database(io: Io): Promise<string> {
  const service = await openService(io.config(), { serving: false });
  try {
    await service.store.ping();
    const tenants = await service.keys.listTenants();
    const { queued, running, failed } = await service.queue.countAcrossTenants();
    if (failed > 0)
      throw new Error(`${failed} failed jobs; "whetstone jobs list --state failed --tenant T" shows why`);
    return `${tenants.length} tenants, ${queued + running} jobs waiting`;
  } finally {
    await service.close();
  }
}

async function port(io: Io): Promise<string> {
  const { port, host } = io.config();
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", () =>
      reject(new Error(`${host}:${port} is taken: stop what listens there, or set WHETSTONE_PORT`)),
    );
    server.listen(port, host, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
  return `${host}:${port} is free`;
}
