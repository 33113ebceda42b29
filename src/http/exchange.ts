/** A request as the routes see it, and the answer they give: plain data on both sides, so that they need no server. */
export interface Exchange {
  /** For the log and for the caller, who may quote it to the operators. */
  readonly requestId: string;
  readonly method: string;
  /** As sent, without the query string. */
  readonly target: string;
  /** Percent-decoded. */
  readonly path: string;
  /** The raw query string without its `?`. Never logged: it can hold the key. */
  readonly search: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Who is at the other end: the peer, or whom a trusted proxy says it speaks for. */
  readonly address: string;
  /** Whether the connection itself comes from this machine. */
  readonly fromLoopback: boolean;
  /** Rejects with BodyRefused where the body is too large, too slow or cut off. */
  readBody(): Promise<Buffer>;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The body was not read to its end; `answer` is what to say, and the connection is of no more use. */
export class BodyRefused extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super("body refused");
    this.answer = answer;
  }
}

export function json(status: number, body: unknown, headers?: Readonly<Record<string, string>>): Answer {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}

/** The shape of every error that is not a list of validation problems. */
export function detail(status: number, sentence: string, headers?: Readonly<Record<string, string>>): Answer {
  return json(status, { detail: sentence }, headers);
}

export function header(exchange: Exchange, name: string): string | undefined {
  const value = exchange.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}
