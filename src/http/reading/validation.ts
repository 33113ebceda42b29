import { type Echo, echoOf } from "./echo.ts";
import { Flaw, type Problem } from "./flaw.ts";

/** An answer that refuses the request. The body is ready for `JSON.stringify`. */
export interface Refusal {
  readonly ok: false;
  readonly status: 400 | 413 | 422;
  readonly body: { readonly detail: string | readonly ProblemDetail[] };
}

/** One entry of FastAPI's 422 answer, keys in its order. */
interface ProblemDetail {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  /** Left out when it would be long or would hold a tenant id. */
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

const MAX_ECHOES_BYTES = 256 * 1024;

export function unprocessable(place: "body" | "query", problems: readonly Problem[]): Refusal {
  const echoes = new Echoes();
  const detail = problems.map(({ flaw, loc, input }): ProblemDetail => {
    const echo = loc.includes("tenant_id") && flaw.type !== "missing" ? undefined : echoes.of(input);
    const context = flaw.ctx === undefined ? undefined : { ctx: flaw.ctx };
    return { type: flaw.type, loc: [place, ...loc], msg: flaw.msg, ...echo, ...context };
  });
  return { ok: false, status: 422, body: { detail } };
}

/** FastAPI's answer to text that is not JSON, with Python's words for what is wrong and where. */
export function invalidJson(error: string, position: number): Refusal {
  const flaw = new Flaw("json_invalid", "JSON decode error", { error });
  return unprocessable("body", [{ flaw, loc: [position], input: {} }]);
}

export function unparsableBody(): Refusal {
  return { ok: false, status: 400, body: { detail: "There was an error parsing the body" } };
}

export function tooLarge(sentence: string): Refusal {
  return { ok: false, status: 413, body: { detail: sentence } };
}

/** The echoes of one answer. All together are limited too, or a body of many small problems would grow. */
class Echoes {
  #left = MAX_ECHOES_BYTES;
  #last: unknown;
  #echo: Echo | undefined;

  of(input: unknown): { readonly input: unknown } | undefined {
    // Several missing fields in a row echo the same object; it is copied once.
    if (input !== this.#last || input === undefined) {
      this.#last = input;
      this.#echo = this.#left > 0 ? echoOf(input) : undefined;
    }
    if (this.#echo === undefined) return undefined;
    this.#left -= this.#echo.bytes;
    return this.#left < 0 ? undefined : { input: this.#echo.input };
  }
}
