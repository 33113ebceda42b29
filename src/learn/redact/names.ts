// Says of a name what its value would be: `DB_PASSWORD`, `clientSecret`, `X-Api-Key`, against `token_limit`,
// `primary_key`, `passengers`.

/**
 * How much the name alone proves. `password`: any value is one. `secret`: any value that is not a plain word.
 * `random`: a value that looks made by a machine. `weak`: only one that looks like nothing else.
 */
type Trust = "password" | "secret" | "random" | "weak" | "header";

export interface SecretName {
  readonly trust: Trust;
  readonly kind: string;
}

/** Qualifiers behind the word that counts: `password_prod`, `apiKey2`, `token_value`. */
const TRAILERS = new Set(
  "value val base plaintext b64 base64 encoded raw prod production staging dev live sandbox primary secondary old new current default env confirm confirmation again repeat".split(
    " ",
  ),
);

/** What comes before `key` when it is no secret; before other words it is one if the value looks like one. */
const OTHER_KEYS = new Set(
  "primary foreign public pub sort cache partition idempotency composite natural hot row object map dict lookup group message routing unique candidate surrogate answer home end enter arrow escape esc tab return shift ctrl control alt function num translation label config storage registry bucket issue project feature step column field index search order data context property state query sequence schema range hash house car piano legend dedup dedupe correlation".split(
    " ",
  ),
);

/** What comes before `key` when any machine-made value, also a plain hexadecimal one, is a secret. */
const SECRET_KEYS = new Set(
  "api access secret private auth encryption encrypt signing sign service account master license shared client app application admin deploy webhook subscription consumer hmac jwt session server host integration ssh gpg rsa crypto vault ingest write read".split(
    " ",
  ),
);

/** What comes before `token` when it is a place in a list or a piece of text. */
const OTHER_TOKENS = new Set(
  "next page continuation pagination sync cancellation cancel eos bos pad unk special start end stop mask sep cls per first last max min input output prompt completion".split(
    " ",
  ),
);

const PASSWORD =
  /(?:password|passwd|passphrase|passwort|passcode|kennwort|contrasena|motdepasse|senha|wachtwoord|pwd)$/;
const JOINED_KEY =
  /(?:api|access|secret|private|auth|master|signing|encryption|account|shared|service|license|admin)key$/;
const SESSION = /^(?:session|sessionid|sessid|sid|jsessionid|phpsessid|sessiontoken|cookie|cookies)$/;

export function secretName(name: string, wordBefore = ""): SecretName | null {
  const words = wordsOf(name);
  while (words.length > 1 && TRAILERS.has(words.at(-1) ?? "")) words.pop();
  const last = words.at(-1) ?? "";
  const before = words.at(-2) ?? wordBefore.toLowerCase();

  if (PASSWORD.test(last)) return { trust: "password", kind: "password" };
  if (last === "pass") return { trust: words.length > 1 ? "password" : "random", kind: "password" };
  if (last === "pw") return { trust: "random", kind: "password" };
  if (last.endsWith("secret")) return { trust: "secret", kind: "secret" };
  if (last.endsWith("authorization")) return { trust: "header", kind: "authorization" };
  if (last.endsWith("token")) return OTHER_TOKENS.has(before) ? null : { trust: "random", kind: "token" };
  if (JOINED_KEY.test(last)) return { trust: "random", kind: "api_key" };
  if (last === "key") {
    if (OTHER_KEYS.has(before)) return null;
    if (before === "secret") return { trust: "secret", kind: "api_key" };
    return { trust: SECRET_KEYS.has(before) ? "random" : "weak", kind: "api_key" };
  }
  if (SESSION.test(last)) return { trust: "random", kind: "session" };
  if (/^(?:sig|signature|hmac)$/.test(last)) return { trust: "random", kind: "signature" };
  if (/^(?:credentials?|creds|auth|jwt|bearer|secrets|pat|mnemonic)$/.test(last)) {
    return { trust: "random", kind: "credential" };
  }
  // Two products that call their secret something else.
  if (/contribsys__com$|sonar.login$/i.test(name)) return { trust: "secret", kind: "secret" };
  return null;
}

/** `dbPassword_2` -> db, password. A name in capitals only is one word between its separators. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/\d+$/, ""))
    .filter((word) => word !== "");
}
