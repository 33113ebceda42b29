/** So many a minute by name, in fixed windows. Told to callers in the headers of the IETF draft. */
export interface RateLimit {
  take(name: string, limit?: number): Taken;
}

export interface Taken {
  readonly refused: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

const WINDOW_MS = 60_000;
/** Names remembered; past that the window starts anew for all, so that a flood of names cannot fill the memory. */
const MOST_NAMES = 100_000;

export function createRateLimit(standard: number, clock: () => number): RateLimit {
  let window = 0;
  let taken = new Map<string, number>();
  return {
    take(name, limit = standard) {
      const now = clock();
      const current = Math.floor(now / WINDOW_MS);
      if (current !== window || taken.size > MOST_NAMES) {
        window = current;
        taken = new Map();
      }
      const count = (taken.get(name) ?? 0) + 1;
      taken.set(name, count);
      const reset = Math.ceil(((current + 1) * WINDOW_MS - now) / 1_000);
      const headers = {
        "ratelimit-policy": `"default";q=${limit};w=${WINDOW_MS / 1_000}`,
        ratelimit: `"default";r=${Math.max(0, limit - count)};t=${reset}`,
      };
      const refused = count > limit;
      return { refused, headers: refused ? { ...headers, "retry-after": `${reset}` } : headers };
    },
  };
}
