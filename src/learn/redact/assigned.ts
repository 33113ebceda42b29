// Finds secrets by the name they are given: `password=...`, `"api_key": "..."`, `--token ...`, `Authorization: ...`,
// in shell, .env, YAML, JSON (also escaped), URLs, XML, SQL and code. How those write it is in syntax.ts.
import { credentialAt, schemeCredential } from "./authorization.ts";
import { ALNUM, DASH, DOT, runEnd, runStart, stickyEnd, WORD } from "./characters.ts";
import { secretName, type SecretName } from "./names.ts";
import type { Span } from "./spans.ts";
import { endsLine, NEXT_LINE, type Runs, separatorAt, valueAt } from "./syntax.ts";
import { isInert, isPlainWord, looksRandom } from "./values.ts";

const KEYWORD =
  /pass|pwd|secret|token|key|cred|auth|jwt|bearer|basic |cookie|sess|sid\b|sig|hmac|\bpat\b|\bpw\b|identified by|mnemonic|kennwort|contrasena|senha|wachtwoord|contribsys|sonar.login/gi;

const NAME = WORD | DASH | DOT;
const LONGEST_NAME = 64;

/** What is remembered while one text is read, so that repetition costs nothing. */
class Memory {
  readonly #names = new Map<string, SecretName | null>();
  readonly runs: Runs = new Map();

  meaningOf(name: string, wordBefore: string): SecretName | null {
    const words = `${wordBefore} ${name}`;
    let meaning = this.#names.get(words);
    if (meaning === undefined) {
      meaning = /identified by$/i.test(name)
        ? { trust: "password", kind: "password" }
        : secretName(name, wordBefore);
      this.#names.set(words, meaning);
    }
    return meaning;
  }
}

export function findAssigned(text: string, spans: Span[]): void {
  const memory = new Memory();
  KEYWORD.lastIndex = 0;
  for (let hit = KEYWORD.exec(text); hit !== null; hit = KEYWORD.exec(text)) {
    const start = runStart(text, hit.index, NAME, LONGEST_NAME);
    let end = runEnd(text, Math.max(hit.index, start), NAME, LONGEST_NAME);
    while (text[end - 1] === "." || text[end - 1] === "-") end -= 1;
    end = Math.max(end, hit.index + hit[0].length);
    const next = valueAfter(text, start, end, memory);
    if (next !== null) spans.push(next);
    KEYWORD.lastIndex = next === null ? end : next.end;
  }
}

/** For a name and a value that a structure holds apart, such as a field of the metadata. */
export function kindOfAssigned(name: string, value: string): string | null {
  const meaning = secretName(name);
  if (meaning === null) return null;
  if (meaning.trust === "header") {
    const span = credentialAt(value, 0, new Map());
    return span === null ? null : meaning.kind;
  }
  const assigned = { mark: ":", tight: false, wholeLine: true, nextLine: false };
  return isSecret(meaning, value, true, assigned) ? meaning.kind : null;
}

interface Assignment {
  /** The operator: `=`, `:` ..., or the word or gap that stands for one. */
  readonly mark: string;
  /** Nothing between the operator and the value: `password=x`, not `password = x`. */
  readonly tight: boolean;
  readonly wholeLine: boolean;
  readonly nextLine: boolean;
}

function valueAfter(text: string, start: number, nameEnd: number, memory: Memory): Span | null {
  const name = text.slice(start, nameEnd);
  const scheme = schemeCredential(text, name, nameEnd);
  if (scheme !== null) return scheme;
  const separator = separatorAt(text, nameEnd, name);
  if (separator === null) return null;
  const meaning = memory.meaningOf(name, wordBefore(text, start));
  if (meaning === null) return null;
  if (meaning.trust === "header") return credentialAt(text, separator.end, memory.runs);

  const { mark } = separator;
  if (mark === ">" && (text[start - 1] !== "<" || /_\d+$/.test(name))) return null;
  const nextLine = mark.length <= 2 ? stickyEnd(NEXT_LINE, text, separator.end) : -1;
  const value = valueAt(text, nextLine === -1 ? separator.end : nextLine, start, memory.runs);
  // Two arguments, not two files of which the first is /etc/passwd.
  if (mark === "," && !(separator.quoted && value.quoted && text[start - 1] !== "/")) return null;
  const following = text[value.end] ?? "";
  const call = !value.quoted && (following === "(" || following === "[") ? following : "";
  const assignment = {
    mark,
    tight: separator.tight,
    nextLine: nextLine !== -1,
    wholeLine: endsLine(text, value.end),
  };
  if (!isSecret(meaning, text.slice(value.start, value.end) + call, value.quoted, assignment)) return null;
  const kind = /aws/i.test(name) && value.end - value.start === 40 ? "aws_secret_key" : meaning.kind;
  return { start: value.start, end: value.end, kind };
}

/** Whether this value under this name is to be hidden. */
function isSecret(meaning: SecretName, value: string, quoted: boolean, how: Assignment): boolean {
  if (how.mark === " ") return isSecretOnSight(meaning, value);
  if (meaning.trust === "random") return looksRandom(value) && !isInert(value, quoted);
  if (meaning.trust === "weak")
    return value.length >= 20 && hasAllKinds(value) && looksRandom(value) && !isInert(value, quoted);
  if (isInert(value, quoted)) return false;
  const plain = isPlainWord(value);
  if (how.nextLine) return !plain && value.length >= 6 && how.wholeLine && !/\s|[:\]]$/.test(value);
  // Marks that often stand between two things that are no name and value.
  if (how.mark === ",") return !plain && value.length >= 4 && /\d/.test(value);
  if (/^(?:\||->|is|>)/.test(how.mark)) return !plain && value.length >= 4 && /[^A-Za-z\s]/.test(value);
  if (/^={2,}$/.test(how.mark)) return quoted && !plain;
  if (quoted) return meaning.trust === "password" || !plain || value.length >= 8;
  if (!plain) return value.length >= 4;
  return (how.mark === "=" && how.tight && value.length >= 4) || (how.wholeLine && value.length >= 8);
}

/** After a mere space: no word, no name of a method (`sha256`), nothing short. */
function isSecretOnSight(meaning: SecretName, value: string): boolean {
  if (meaning.trust === "password") {
    return (
      value.length >= 7 &&
      /[a-z]/i.test(value) &&
      /\d/.test(value) &&
      /^[A-Za-z]{3}/.test(value) &&
      !METHOD.test(value)
    );
  }
  return (
    meaning.trust === "random" &&
    /^(?:api_key|token)$/.test(meaning.kind) &&
    value.length >= 20 &&
    looksRandom(value)
  );
}

const METHOD =
  /^(?:sha|md|bcrypt|scrypt|argon|pbkdf|base|utf|oauth|step|field|version|http|page|input|test|user|room|part)[-_]?\d/i;

function hasAllKinds(value: string): boolean {
  const head = value.slice(0, 128);
  return /[a-z]/.test(head) && /[A-Z]/.test(head) && /\d/.test(head);
}

/** The word before the name if a space is all that parts them: `API key`, `primary key`. */
function wordBefore(text: string, start: number): string {
  if (text[start - 1] !== " ") return "";
  return text.slice(runStart(text, start - 1, ALNUM, LONGEST_NAME), start - 1);
}
