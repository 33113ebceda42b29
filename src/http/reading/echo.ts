/** A problem shows what was found, but no more than this of it. */
const MAX_ECHO_BYTES = 1024;

/** `tenant_id` is the API key, and so is what was meant by these spellings of it. */
const SECRET_NAME = /^tenant[_-]?id$/i;
const SECRET_MENTION = /tenant[_-]?id/i;

export interface Echo {
  readonly input: unknown;
  /** About as long as it is as JSON. */
  readonly bytes: number;
}

/**
 * A copy of `value` fit to be sent back: without tenant ids, wherever they are. Undefined when it is longer
 * than 1 KiB, or is a text that may hold a tenant id itself, such as a whole body that was sent as text.
 */
export function echoOf(value: unknown): Echo | undefined {
  const copying = new Copying();
  const input = copying.copy(value);
  return copying.refused ? undefined : { input, bytes: copying.bytes };
}

class Copying {
  refused = false;
  bytes = 0;

  copy(value: unknown): unknown {
    if (this.refused) return undefined;
    switch (typeof value) {
      case "string":
        this.#spend(value.length > MAX_ECHO_BYTES ? value.length : Buffer.byteLength(value) + 2);
        this.refused ||= SECRET_MENTION.test(value);
        return value;
      case "number":
      case "boolean":
        this.#spend(String(value).length);
        return value;
      case "object":
        return this.#copyObject(value);
      default:
        // A bigint: JSON.stringify has no way to write it.
        this.refused = true;
        return undefined;
    }
  }

  #copyObject(value: object | null): unknown {
    this.#spend(2);
    if (value === null) return null;
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) {
        if (this.refused) break;
        this.#spend(1);
        items.push(this.copy(item));
      }
      return items;
    }
    const entries: [string, unknown][] = [];
    // Not Object.entries, which would make a hundred thousand pairs to look at the first few.
    for (const key of Object.keys(value)) {
      if (this.refused) break;
      if (SECRET_NAME.test(key)) continue;
      this.#spend(Buffer.byteLength(key) + 4);
      entries.push([key, this.copy(Reflect.get(value, key))]);
    }
    return Object.fromEntries(entries);
  }

  #spend(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > MAX_ECHO_BYTES) this.refused = true;
  }
}
