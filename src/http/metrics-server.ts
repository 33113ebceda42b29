/** Metrics on a port of their own, for a network in which Prometheus is not on this machine. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Metrics } from "../telemetry/metrics.ts";
import type { RunningServer } from "./server.ts";

export async function startMetricsServer(
  metrics: Metrics,
  { port, host }: { port: number; host: string },
): Promise<RunningServer> {
  const server = createServer((request, response) => {
    if (request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    metrics.page().then(
      ({ contentType, text }) => response.writeHead(200, { "content-type": contentType }).end(text),
      () => response.writeHead(503).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    drain: async () => void server.close(),
  };
}
