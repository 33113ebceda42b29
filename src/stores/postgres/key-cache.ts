/**
 * Remembers whose key a hash is for a moment: every request asks, and most ask about the same few keys. A key revoked
 * here is refused at once; one revoked by another process within that moment.
 */
import type { KeyHolder } from "../../domain/tenant.ts";

const MOMENT_MS = 1_000;
const MOST = 10_000;

interface Remembered {
  readonly holder: Promise<KeyHolder | null>;
  readonly until: number;
}

export class KeyCache {
  readonly #look: (hash: string) => Promise<KeyHolder | null>;
  readonly #known = new Map<string, Remembered>();

  constructor(look: (hash: string) => Promise<KeyHolder | null>) {
    this.#look = look;
  }

  async find(hash: string): Promise<KeyHolder | null> {
    const now = performance.now();
    const known = this.#known.get(hash);
    if (known !== undefined && now < known.until) return known.holder;
    if (this.#known.size >= MOST) this.clear();
    const holder = this.#look(hash);
    const remembered = { holder, until: now + MOMENT_MS };
    this.#known.set(hash, remembered);
    const forget = () => {
      if (this.#known.get(hash) === remembered) this.#known.delete(hash);
    };
    // a key that is not there yet may be there a moment later
    holder.then((found) => found ?? forget(), forget);
    return holder;
  }

  /** Whatever was remembered, and whatever is being looked up right now, may be wrong from here on. */
  clear(): void {
    this.#known.clear();
  }
}
