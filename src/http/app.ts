/** One request from its head to its answer: open paths -> key -> route -> rate -> operation, and what to say when one throws. */
import { WhetstoneError } from "../domain/errors.ts";
import type { Keys } from "../ports/keys.ts";
import type { Logger } from "../telemetry/log.ts";
import { type Authenticate, type Caller, createAuthenticate } from "./auth.ts";
import { type Answer, BodyRefused, detail, type Exchange } from "./exchange.ts";
import { contractRoutes, type OperationParts } from "./operations.ts";
import { openRoutes, type OpenParts } from "./open-routes.ts";
import { createRateLimit } from "./rate-limit.ts";
import { createRouter } from "./router.ts";
import type { Vault } from "../domain/vault.ts";

export interface AppParts extends OperationParts, OpenParts {
  readonly keys: Keys;
  readonly vault: Vault;
  readonly log: Logger;
  /** Requests a minute and tenant; 0: no limit. */
  readonly rateLimit: number;
  readonly badKeyLimit: number;
}

export type App = (exchange: Exchange) => Promise<Answer>;

/** How long a caller should wait for what passes by itself. */
const RETRY_AFTER = { "retry-after": "2" };

export function createApp(parts: AppParts): App {
  const { keys, vault, clock, metrics, log } = parts;
  const badKeys = parts.badKeyLimit > 0 ? createRateLimit(parts.badKeyLimit, clock) : null;
  const authenticate: Authenticate = createAuthenticate({ keys, vault, badKeys });
  const open = createRouter<null>(openRoutes(parts));
  const contract = createRouter<Caller>(contractRoutes(parts));
  const requests = createRateLimit(parts.rateLimit, clock);

  function overRate({ tenantId, settings }: Caller): { refusal: Answer | null; headers: Answer["headers"] } {
    const limit = settings.rateLimit ?? parts.rateLimit;
    if (limit === 0) return { refusal: null, headers: {} };
    const { refused, headers } = requests.take(tenantId, limit);
    return {
      refusal: refused ? detail(429, "Rate limit exceeded; try again later", headers) : null,
      headers,
    };
  }

  async function answerContract(exchange: Exchange): Promise<Routed> {
    const caller = await authenticate(exchange);
    if ("refusal" in caller) return { route: "unauthenticated", answer: caller.refusal };
    const found = contract(exchange);
    if ("refusal" in found) return { route: "unknown", answer: found.refusal };
    const route = found.route.path;
    const { refusal, headers } = overRate(caller);
    if (refusal !== null) return { route, answer: refusal };
    try {
      const answer = await found.route.answer(exchange, caller, found.parameters);
      return { route, answer: { ...answer, headers: { ...headers, ...answer.headers } } };
    } catch (error) {
      return { route, answer: failure(error, exchange, route, log) };
    }
  }

  async function answer(exchange: Exchange): Promise<Routed> {
    const found = open(exchange);
    if (!("route" in found)) return answerContract(exchange);
    return { route: found.route.path, answer: await found.route.answer(exchange, null, found.parameters) };
  }

  return async (exchange) => {
    const begun = performance.now();
    const { route, answer: said } = await answer(exchange).catch((error: unknown) => ({
      route: "unknown",
      answer: failure(error, exchange, "unknown", log),
    }));
    const seconds = (performance.now() - begun) / 1_000;
    metrics.requestEnded({ route, method: exchange.method, status: said.status, seconds });
    const { requestId, method } = exchange;
    log.info(
      { request_id: requestId, method, route, status: said.status, ms: Math.round(seconds * 1e6) / 1e3 },
      "request",
    );
    return said;
  };
}

interface Routed {
  readonly route: string;
  readonly answer: Answer;
}

/** Plain sentences by operation; what really happened is in the log, under the request's id. */
const SENTENCES: Readonly<Record<string, string>> = {
  "/enhance_task": "Failed to process the task",
  "/store_knowledge": "Error queueing knowledge",
  "/delete_by_intent": "Failed to delete",
  "/feedback": "Failed to record the feedback",
  "/uplift": "Failed to measure the uplift",
};

function failure(error: unknown, exchange: Exchange, route: string, log: Logger): Answer {
  if (error instanceof BodyRefused) return error.answer;
  log.error({ request_id: exchange.requestId, route, err: error }, "request failed");
  if (error instanceof WhetstoneError && error.retryable) {
    return detail(503, "The service cannot do this right now; try again shortly", RETRY_AFTER);
  }
  return detail(500, SENTENCES[route] ?? "Internal error");
}
