import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Stands between the service and its database, and can be silent. */
export async function relay(url: string) {
  const target = new URL(url);
  const port = Number(target.port);
  const sockets = new Set<Socket>();
  let silent = false;
  const server = createServer((near) => {
    const far = connect(port, target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (chunk) => void (silent || to.write(chunk)));
      from.on("close", () => to.destroy());
      from.on("error", () => {});
    }
  });
  const listen = async (port: number) =>
    new Promise<void>((done) => void server.listen(port, "127.0.0.1", done));
  await listen(0);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  target.port = String(address.port);
  return {
    url: target.href,
    be: (state: "silent" | "open") => void (silent = state === "silent"),
    cut,
    async leave() {
      cut();
      await new Promise((done) => void server.close(done));
    },
    comeBack: () => listen(address.port),
  };
}
