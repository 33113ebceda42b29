/** Whose request is it? The key decides before anything else is looked at. */
import { couldBeKey } from "../domain/api-key.ts";
import type { KeyHolder, TenantSettings } from "../domain/tenant.ts";
import type { Vault } from "../domain/vault.ts";
import type { Keys } from "../ports/keys.ts";
import { type Answer, detail, type Exchange, json } from "./exchange.ts";
import type { RateLimit } from "./rate-limit.ts";

export interface AuthParts {
  readonly keys: Keys;
  readonly vault: Vault;
  /** Wrong keys by address; null: not limited. */
  readonly badKeys: RateLimit | null;
}

export interface Caller {
  readonly tenantId: string;
  readonly settings: TenantSettings;
  /** Whether a tenant_id names the caller: any live key of the tenant does, or the tenant's own id. */
  owns(tenantId: string): Promise<boolean>;
}

export type Authenticate = (exchange: Exchange) => Promise<Caller | { readonly refusal: Answer }>;

const INVALID = { error: "invalid_api_key", message: "The API key is invalid or has been revoked." };
const ABSENT = {
  error: "invalid_api_key",
  message: "The API key is missing: send it in the x-api-key header.",
};

export function createAuthenticate({ keys, vault, badKeys }: AuthParts): Authenticate {
  const find = async (key: string): Promise<KeyHolder | null> =>
    couldBeKey(key) ? keys.findByHashAcrossTenants(vault.hashKey(key)) : null;

  return async (exchange) => {
    const key = exchange.headers["x-api-key"];
    // Node joins repeated headers with a comma, and so a second key makes the first one wrong
    if (typeof key !== "string" || key === "") {
      return { refusal: json(401, ABSENT, { "www-authenticate": "APIKey" }) };
    }
    const holder = await find(key);
    if (holder !== null) {
      const { tenantId, settings } = holder;
      const owns = async (named: string) =>
        named === key || named === tenantId || (await find(named))?.tenantId === tenantId;
      return { tenantId, settings, owns };
    }
    const limited = badKeys?.take(exchange.address);
    if (limited?.refused) {
      return {
        refusal: detail(429, "Too many wrong API keys from this address; try again later", limited.headers),
      };
    }
    return { refusal: json(401, INVALID) };
  };
}
