/** A tenant owns one collection and holds one or more keys. Nothing of one tenant is ever seen by another. */
export interface Tenant {
  readonly tenantId: string;
  readonly name: string;
  readonly createdAt: number;
  readonly settings: TenantSettings;
}

/** What an operator may set for one tenant; absent: the service's own setting counts. */
export interface TenantSettings {
  /** Redact e-mail addresses, phone numbers and the like before storing (default true). Secrets are always redacted. */
  readonly redactPersonalData?: boolean;
  /** Requests a minute; absent: the service's setting. */
  readonly rateLimit?: number;
  /** Share of enhancements answered without recommendations; absent: the service's setting. */
  readonly holdout?: number;
}

/** A key as stored: never the key itself. */
export interface KeyRecord {
  readonly tenantId: string;
  readonly keyId: string;
  /** HMAC-SHA-256 of the key, hex. */
  readonly hash: string;
  /** For people to tell keys apart. */
  readonly lastFour: string;
  readonly label: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

/** Whose live key it is, with what every request of theirs needs. */
export interface KeyHolder {
  readonly tenantId: string;
  readonly keyId: string;
  readonly settings: TenantSettings;
}
