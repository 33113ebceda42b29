/** Finds the route of a path as Starlette would: 404, 405 with Allow, and 307 for a slash too many. */
import { type Answer, detail, type Exchange } from "./exchange.ts";

export interface Route<Context> {
  readonly method: "GET" | "POST";
  /** Literal segments, and `{name}` for one that is any. */
  readonly path: string;
  readonly answer: (
    exchange: Exchange,
    context: Context,
    parameters: Readonly<Record<string, string>>,
  ) => Promise<Answer>;
}

interface Match<Context> {
  readonly route: Route<Context>;
  readonly parameters: Readonly<Record<string, string>>;
}

export type Found<Context> = Match<Context> | { readonly refusal: Answer };

export type Router<Context> = (exchange: Exchange) => Found<Context>;

export function createRouter<Context>(routes: readonly Route<Context>[]): Router<Context> {
  const literal = new Map<string, Match<Context>[]>();
  const patterns: { route: Route<Context>; segments: string[] }[] = [];
  for (const route of routes) {
    if (route.path.includes("{")) patterns.push({ route, segments: route.path.split("/") });
    else literal.set(route.path, [...(literal.get(route.path) ?? []), { route, parameters: {} }]);
  }

  const matching = (path: string): readonly Match<Context>[] => {
    const exact = literal.get(path);
    if (exact !== undefined) return exact;
    const segments = path.split("/");
    return patterns.flatMap(({ route, segments: pattern }) => {
      const parameters = matchSegments(pattern, segments);
      return parameters === null ? [] : [{ route, parameters }];
    });
  };

  return (exchange) => {
    const matches = matching(exchange.path);
    // HEAD is answered as GET; the server leaves the body out
    const method = exchange.method === "HEAD" ? "GET" : exchange.method;
    const match = matches.find(({ route }) => route.method === method);
    if (match !== undefined) return match;
    if (matches.length > 0) {
      const allow = matches.map(({ route }) => route.method).join(", ");
      return { refusal: detail(405, "Method Not Allowed", { allow }) };
    }
    const trimmed = exchange.path.replace(/\/$/, "");
    if (trimmed !== exchange.path && matching(trimmed).length > 0) return { refusal: withoutSlash(exchange) };
    return { refusal: detail(404, "Not Found") };
  };
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const parameters: Record<string, string> = {};
  for (const [i, wanted] of pattern.entries()) {
    const given = segments[i] ?? "";
    if (wanted.startsWith("{")) {
      if (given === "") return null;
      parameters[wanted.slice(1, -1)] = given;
    } else if (wanted !== given) return null;
  }
  return parameters;
}

function withoutSlash(exchange: Exchange): Answer {
  const host = exchange.headers["host"];
  const base = typeof host === "string" && /^[\w.:[\]-]+$/.test(host) ? `http://${host}` : "";
  const query = exchange.search === "" ? "" : `?${exchange.search}`;
  return {
    status: 307,
    headers: { location: `${base}${exchange.target.replace(/\/$/, "")}${query}` },
    body: "",
  };
}

/** As Starlette does before it routes: escapes become bytes, bytes become text, and what is invalid stays visible. */
export function decodePath(target: string): string {
  if (!target.includes("%")) return target;
  return target.replace(/(?:%[0-9a-fA-F]{2})+/g, (escapes) =>
    Buffer.from(escapes.replaceAll("%", ""), "hex").toString("utf8"),
  );
}
