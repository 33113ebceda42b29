/** The listening side: sockets, timeouts, bodies. Node's own defaults would leave half-sent requests open for ever. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { SetupError } from "../domain/errors.ts";
import { newId } from "../domain/ids.ts";
import type { App } from "./app.ts";
import { receiveBody } from "./body.ts";
import type { Answer, Exchange } from "./exchange.ts";
import type { RequestLimits } from "./reading/limits.ts";
import { callerAddress, isLoopback } from "./peer.ts";
import { decodePath } from "./router.ts";

export interface ServerParts {
  readonly app: App;
  readonly limits: RequestLimits;
  readonly trustedProxies: readonly string[];
}

export interface RunningServer {
  readonly port: number;
  /** Takes no new connection, lets requests under way end, and closes idle connections. */
  drain(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 4_000;
const REQUEST_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_MS = 65_000;
const CHECK_INTERVAL_MS = 500;
const MOST_HEADER_BYTES = 64 * 1024;

export async function startServer(
  parts: ServerParts,
  listen: { port: number; host: string },
): Promise<RunningServer> {
  let draining = false;
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      maxHeaderSize: MOST_HEADER_BYTES,
    },
    (request, response) => {
      const exchange = exchangeOf(request, parts);
      parts.app(exchange).then(
        (answer) => send(request, response, answer, { exchange, close: draining }),
        () => response.destroy(),
      );
    },
  );
  server.on("clientError", refuseBroken);
  await listening(server, listen);
  return {
    port: (server.address() as AddressInfo).port,
    async drain() {
      draining = true;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await closed;
    },
  };
}

function listening(server: Server, { port, host }: { port: number; host: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException): void => {
      const what =
        cause.code === "EADDRINUSE"
          ? "is taken: stop what listens there, or set WHETSTONE_PORT"
          : cause.message;
      reject(new SetupError(`${host}:${port} ${what}`, { cause }));
    };
    server.once("error", refuse);
    server.listen(port, host, () => {
      server.off("error", refuse);
      resolve();
    });
  });
}

function exchangeOf(request: IncomingMessage, { limits, trustedProxies }: ServerParts): Exchange {
  const url = request.url ?? "/";
  const question = url.indexOf("?");
  const target = question < 0 ? url : url.slice(0, question);
  const peer = request.socket.remoteAddress ?? "";
  return {
    requestId: newId(),
    method: request.method ?? "GET",
    target,
    path: decodePath(target),
    search: question < 0 ? "" : url.slice(question + 1),
    headers: request.headers,
    address: callerAddress(peer, request.headers["x-forwarded-for"], trustedProxies),
    fromLoopback: isLoopback(peer),
    readBody: () => receiveBody(request, limits),
  };
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  { exchange, close }: { exchange: Exchange; close: boolean },
): void {
  // a body that nobody read would be taken for the next request
  const unread = !request.complete;
  response.writeHead(answer.status, {
    ...answer.headers,
    "content-length": Buffer.byteLength(answer.body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": exchange.requestId,
    ...(close || unread ? { connection: "close" } : {}),
  });
  response.end(exchange.method === "HEAD" ? undefined : answer.body);
  if (unread) request.resume();
}

/** What is no HTTP request at all never reaches the routes. */
function refuseBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || socket.destroyed) return;
  const [status, sentence] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? ["431 Request Header Fields Too Large", "Request headers are too large"]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? ["408 Request Timeout", "The request took too long to arrive"]
        : ["400 Bad Request", "Invalid HTTP request received."];
  const body = JSON.stringify({ detail: sentence });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}
