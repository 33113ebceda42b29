/** Requests byte for byte over a socket, for what no well-behaved client would send. */
import { connect } from "node:net";

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** null: the connection was closed without an answer. Rejects where nothing happens for `timeoutMs`. */
export function exchangeRaw(port: number, bytes: Uint8Array, timeoutMs = 10_000): Promise<RawAnswer | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer within ${timeoutMs} ms`));
    }, timeoutMs);
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(parseAnswer(Buffer.concat(chunks)));
    };
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      if (isWhole(Buffer.concat(chunks))) end();
    });
    socket.on("end", end);
    socket.on("error", end);
    socket.write(bytes);
  });
}

function split(bytes: Buffer): { head: string; body: Buffer } | null {
  const text = bytes.toString("latin1");
  // the interim answer to Expect: 100-continue is not the answer
  const start = text.startsWith("HTTP/1.1 100") ? text.indexOf("\r\n\r\n") + 4 : 0;
  const end = text.indexOf("\r\n\r\n", start);
  return end < 0 ? null : { head: text.slice(start, end), body: bytes.subarray(end + 4) };
}

function isWhole(bytes: Buffer): boolean {
  const parts = split(bytes);
  if (parts === null) return false;
  const length = /^content-length: (\d+)/im.exec(parts.head);
  return length !== null && parts.body.length >= Number(length[1]);
}

function parseAnswer(bytes: Buffer): RawAnswer | null {
  const parts = split(bytes);
  if (parts === null) return null;
  const [statusLine = "", ...lines] = parts.head.split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
  return { status: Number(statusLine.split(" ")[1]), headers, body: parts.body.toString() };
}

export interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly headers_list?: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly body_b64?: string;
  readonly raw_b64?: string;
}

export function bytesOf({
  method,
  target,
  headers = {},
  headers_list: list = [],
  body,
  body_b64,
  raw_b64,
}: RawRequest): Buffer {
  if (raw_b64 !== undefined) return Buffer.from(raw_b64, "base64");
  const content = body_b64 === undefined ? Buffer.from(body ?? "") : Buffer.from(body_b64, "base64");
  const given = [...Object.entries(headers), ...list];
  const has = (name: string) => given.some(([key]) => key.toLowerCase() === name);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(has("host") ? [] : ["host: oracle"]),
    "connection: close",
    ...given.map(([name, value]) => `${name}: ${value}`),
    ...(has("content-length") || has("transfer-encoding") || (body === undefined && body_b64 === undefined)
      ? []
      : [`content-length: ${content.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), content]);
}
