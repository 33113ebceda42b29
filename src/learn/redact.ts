// The first step of learning: takes out of an interaction what must be neither stored nor analysed.
// Secrets always go; personal data goes unless the operator has switched that off. The finders are in redact/.
import type { Interaction, Turn } from "../domain/interaction.ts";
import { findEmails, findIpv6 } from "./redact/addresses.ts";
import { findAssigned, kindOfAssigned } from "./redact/assigned.ts";
import { findManifestSecrets, findPrivateKeys, findWebKeys } from "./redact/blocks.ts";
import { findNumbers } from "./redact/numbers.ts";
import { ALNUM, isIn, wordStartsAt } from "./redact/characters.ts";
import { apartFrom, type Finder, merged, placeholdersIn, type Span } from "./redact/spans.ts";
import { findTokens } from "./redact/tokens.ts";
import { findUrlCredentials } from "./redact/urls.ts";
import { isPlainWord } from "./redact/values.ts";

export interface RedactOptions {
  /** Also hide what belongs to persons: addresses, telephone, card, account and identity numbers. */
  readonly personalData: boolean;
}

export interface Redacted {
  readonly interaction: Interaction;
  /** How many places were replaced, by kind. */
  readonly found: Readonly<Record<string, number>>;
}

/** Where two find the same stretch, the earlier one names it. */
const SECRETS: readonly Finder[] = [
  findPrivateKeys,
  findTokens,
  findUrlCredentials,
  findAssigned,
  findManifestSecrets,
  findWebKeys,
];
const PERSONAL: readonly Finder[] = [findEmails, findNumbers, findIpv6];

/** Hiding one thing can lay bare another (`password=a@b.com:...`), so passes follow until one finds nothing. */
const MOST_PASSES = 4;

/**
 * The interaction with every secret replaced by a placeholder such as `<github_token_1>`. Within one interaction the
 * same value always gives the same placeholder and different values give different ones, numbered as they appear, so
 * that what was done can still be followed. Redacting what is redacted changes nothing.
 */
export function redact(interaction: Interaction, options: RedactOptions): Redacted {
  const redaction = new Redaction(options.personalData);
  let current = interaction;
  for (let pass = 0; pass < MOST_PASSES && redaction.look(current); pass += 1)
    current = redaction.replaceIn(current);
  return { interaction: current, found: redaction.found };
}

/** A secret shorter than this could be any word: it is hidden where it is found, not wherever it stands. */
const SHORTEST_KNOWN = 8;
/** Every known secret is looked for in every text; a text that is all secrets must not make that slow. */
const MOST_KNOWN = 64;

class Redaction {
  readonly found: Record<string, number> = {};
  readonly #personalData: boolean;
  /** What was found in each text. Agents repeat themselves: one turn's result is the next one's input. */
  readonly #spans = new Map<string, readonly Span[]>();
  /** Secrets that were recognised in one place and so are known in all others. */
  readonly #known = new Map<string, string>();
  readonly #placeholders = new Map<string, string>();
  /** Placeholders that came with the interaction: a new value must not get one of them. */
  readonly #taken = new Set<string>();
  readonly #numbers = new Map<string, number>();

  constructor(personalData: boolean) {
    this.#personalData = personalData;
  }

  /**
   * Whether there is anything to replace. Finding comes first and replacing later, because a secret may be recognised
   * only in a later turn than the one it first stands in.
   */
  look(interaction: Interaction): boolean {
    let seen = false;
    const see = (text: string): string => {
      const spans = this.#spans.get(text) ?? this.#spansIn(text);
      this.#spans.set(text, spans);
      seen ||= spans.length > 0;
      return text;
    };
    transformed(interaction, see, (name, value) => {
      const kind = kindOfAssigned(name, value);
      if (kind === null) return null;
      seen = true;
      this.#learn(value, kind);
      return value;
    });
    return seen;
  }

  replaceIn(interaction: Interaction): Interaction {
    for (const text of this.#spans.keys()) for (const { kind } of placeholdersIn(text)) this.#taken.add(kind);
    return transformed(
      interaction,
      (text) => this.#replaced(text),
      (name, value) => {
        const kind = kindOfAssigned(name, value);
        return kind === null ? null : this.#placeholder(value, kind);
      },
    );
  }

  #spansIn(text: string): readonly Span[] {
    if (text.length < 3) return [];
    const secrets: Span[] = [];
    for (const find of SECRETS) find(text, secrets);
    const personal: Span[] = [];
    if (this.#personalData) for (const find of PERSONAL) find(text, personal);
    if (secrets.length === 0 && personal.length === 0) return secrets;
    const old = placeholdersIn(text);
    const kept = apartFrom(merged(secrets), old);
    for (const { start, end, kind } of kept) this.#learn(text.slice(start, end), kind);
    return merged([...kept, ...apartFrom(apartFrom(merged(personal), old), kept)]);
  }

  #learn(value: string, kind: string): void {
    const distinctive = value.length >= SHORTEST_KNOWN && !isPlainWord(value) && !/^[a-z_]+_\d+$/.test(value);
    if (distinctive && this.#known.size < MOST_KNOWN && !this.#known.has(value)) this.#known.set(value, kind);
  }

  #replaced(text: string): string {
    const found = this.#spans.get(text) ?? [];
    const known = this.#knownIn(text);
    const spans = known.length === 0 ? found : apartFrom(merged([...found, ...known]), placeholdersIn(text));
    let result = "";
    let from = 0;
    for (const { start, end, kind } of spans) {
      result += text.slice(from, start) + this.#placeholder(text.slice(start, end), kind);
      from = end;
    }
    return result + text.slice(from);
  }

  #knownIn(text: string): Span[] {
    const spans: Span[] = [];
    for (const [value, kind] of this.#known) {
      for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) {
        const end = at + value.length;
        if (wordStartsAt(text, at) && !isIn(text, end, ALNUM)) spans.push({ start: at, end, kind });
      }
    }
    return spans;
  }

  #placeholder(value: string, kind: string): string {
    const identity = identityOf(value, kind);
    let placeholder = this.#placeholders.get(identity);
    if (placeholder === undefined) {
      let number = this.#numbers.get(kind) ?? 0;
      do {
        number += 1;
        placeholder = `<${kind}_${number}>`;
      } while (this.#taken.has(placeholder));
      this.#numbers.set(kind, number);
      this.#placeholders.set(identity, placeholder);
    }
    const name = placeholder.slice(1, placeholder.lastIndexOf("_"));
    this.found[name] = (this.found[name] ?? 0) + 1;
    return placeholder;
  }
}

/** One number written in two ways is one number; everything else is itself. */
function identityOf(value: string, kind: string): string {
  if (kind === "email") return value.toLowerCase().replace("%40", "@");
  if (/^(?:card_number|iban|phone|national_id)$/.test(kind))
    return value.replace(/[^A-Za-z0-9]+/g, "").toUpperCase();
  return value;
}

type Change = (text: string) => string;
/** For a named value: what stands in its place, or null to treat it as any other text. */
type ChangeNamed = (name: string, value: string) => string | null;

/** The interaction with every text of it changed, in reading order. */
function transformed(interaction: Interaction, change: Change, changeNamed: ChangeNamed): Interaction {
  const query = change(interaction.query);
  const turns = interaction.turns.map((turn): Turn => ({
    ...turn,
    inputs: change(turn.inputs),
    memory: turn.memory === null ? null : change(turn.memory),
    decision: change(turn.decision),
    result: turn.result === null ? null : change(turn.result),
  }));
  const agentType = interaction.agentType === null ? null : change(interaction.agentType);
  const metadata =
    interaction.metadata === null ? null : changedFields(interaction.metadata, change, changeNamed);
  return { ...interaction, query, turns, agentType, metadata };
}

function changedFields(fields: object, change: Change, changeNamed: ChangeNamed): Record<string, unknown> {
  // fromEntries defines properties and never sets them, so that a key `__proto__` stays a key.
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      change(name),
      changedValue(value, name, change, changeNamed),
    ]),
  );
}

/** Recursive: the depth of the metadata is limited where it is accepted. */
function changedValue(value: unknown, name: string, change: Change, changeNamed: ChangeNamed): unknown {
  if (typeof value === "string") return changeNamed(name, value) ?? change(value);
  if (typeof value === "number" || typeof value === "bigint") {
    const text = String(value);
    const changed = changeNamed(name, text) ?? change(text);
    return changed === text ? value : changed;
  }
  if (Array.isArray(value)) return value.map((item) => changedValue(item, name, change, changeNamed));
  if (typeof value === "object" && value !== null) return changedFields(value, change, changeNamed);
  return value;
}
