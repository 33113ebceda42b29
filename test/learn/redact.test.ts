import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Interaction } from "../../src/domain/interaction.ts";
import { redact } from "../../src/learn/redact.ts";
import { HOSTILE, NAMED, PERSONAL, PRIVATE_KEYS, SETTINGS, TOKENS, VENDOR_NAMED } from "./redact-corpus.ts";
import { HARMLESS } from "./redact-harmless.ts";

function interaction(fields: Partial<Interaction>): Interaction {
  return { query: "", turns: [], success: null, agentType: null, timestamp: null, metadata: null, ...fields };
}

function redactText(text: string, personalData = true): string {
  return redact(interaction({ query: text }), { personalData }).interaction.query;
}

function redactMetadata(metadata: Record<string, unknown>): unknown {
  return redact(interaction({ metadata }), { personalData: true }).interaction.metadata;
}

const token = TOKENS.find(({ name }) => name === "GitHub personal")?.secret ?? "";
const otherToken = TOKENS.find(({ name }) => name === "GitHub OAuth")?.secret ?? "";

describe("secrets are hidden", () => {
  it.each(TOKENS)("in every setting: $name", ({ secret }) => {
    const shown = Object.entries(SETTINGS).filter(([, setting]) => {
      const redacted = redactText(setting(secret), false);
      return (
        !/<[a-z0-9_]+_1>/.test(redacted) ||
        redacted.includes(secret) ||
        decodeURIComponent(redacted).includes(secret)
      );
    });
    expect(shown.map(([name]) => name)).toEqual([]);
  });

  it.each(NAMED)("by the name or place they have: $name", ({ secret, text }) => {
    const redacted = redactText(text, false);
    expect(redacted).toMatch(/<[a-z0-9_]+_1>/);
    expect(redacted).not.toContain(secret);
  });

  it.each(VENDOR_NAMED)("by the vendor's name: $name", ({ secret, text }) => {
    expect(redactText(text, false)).not.toContain(secret);
  });

  it.each(PRIVATE_KEYS)("private key: $name", ({ secret, text }) => {
    const redacted = redactText(text, false);
    const lines = secret.split("\n").slice(1, -1);
    expect(lines.filter((line) => redacted.includes(line))).toEqual([]);
    expect(redacted).toContain("<private_key_1>");
  });

  it("when a token is wrapped over lines", () => {
    const wrapped = `${token.slice(0, 24)}\n  ${token.slice(24)}`;
    expect(redactText(`token is ${wrapped}\nnext`)).toBe("token is <github_token_1>\nnext");
  });

  it("and what stands around them stays", () => {
    expect(redactText("https://ann:lemon4de@git.example.com/a.git")).toBe(
      "https://ann:<password_1>@git.example.com/a.git",
    );
    expect(redactText(`{"user": "ann", "password": "lemon4de", "port": 22}`)).toBe(
      `{"user": "ann", "password": "<password_1>", "port": 22}`,
    );
    expect(redactText(`curl -H 'Authorization: Bearer ${token}' https://example.com`)).toBe(
      "curl -H 'Authorization: Bearer <github_token_1>' https://example.com",
    );
  });
});

describe("personal data", () => {
  it.each(PERSONAL)("is hidden: $kind in $text", ({ kind, secret, text }) => {
    expect(redactText(text)).toBe(text.replace(secret, () => `<${kind}_1>`));
  });

  it.each(PERSONAL)("stays where the operator wants it: $text", ({ text }) => {
    expect(redactText(text, false)).toBe(text);
  });
});

describe("what is harmless stays", () => {
  it("in at least 99 of 100 lines", () => {
    const changed = HARMLESS.filter((line) => redactText(line) !== line);
    expect(HARMLESS.length).toBeGreaterThanOrEqual(300);
    expect(changed.slice(HARMLESS.length / 100)).toEqual([]);
  });

  it("also when all of it stands in one text", () => {
    const lines = redactText(HARMLESS.join("\n")).split("\n");
    const changed = lines.filter((line, i) => line !== HARMLESS[i]);
    expect(changed.slice(HARMLESS.length / 100)).toEqual([]);
  });

  it.each([
    "<password_1>",
    "***",
    "[REDACTED]",
    "$PASSWORD",
    "${TOKEN}",
    "{{secret}}",
    "%PASSWORD%",
    "xxxxxx",
  ])("where it only stands for a secret: %s", (standIn) => {
    for (const text of [`password=${standIn}`, `"password": "${standIn}"`, `PASSWORD: ${standIn}\n`]) {
      expect(redactText(text)).toBe(text);
    }
  });
});

describe("placeholders", () => {
  it("are the same for the same value, different for different ones, numbered as they appear", () => {
    expect(redactText(`${token} then ${otherToken} then ${token}`)).toBe(
      "<github_token_1> then <github_token_2> then <github_token_1>",
    );
  });

  it("are the same through all of an interaction", () => {
    const { interaction: redacted, found } = redact(
      interaction({
        query: "Write to ann@example.com",
        turns: [
          {
            turn: 1,
            inputs: "bob@example.com asks",
            decision: "open",
            memory: null,
            result: "ann@example.com",
          },
          { turn: 2, inputs: "Ann@Example.com", decision: "send", memory: "bob@example.com", result: null },
        ],
        agentType: "mailer for bob@example.com",
        metadata: { to: "ann@example.com" },
      }),
      { personalData: true },
    );
    expect(redacted).toEqual(
      interaction({
        query: "Write to <email_1>",
        turns: [
          { turn: 1, inputs: "<email_2> asks", decision: "open", memory: null, result: "<email_1>" },
          { turn: 2, inputs: "<email_1>", decision: "send", memory: "<email_2>", result: null },
        ],
        agentType: "mailer for <email_2>",
        metadata: { to: "<email_1>" },
      }),
    );
    expect(found).toEqual({ email: 7 });
  });

  it("are the same for one number written in two ways", () => {
    expect(redactText("4111 1111 1111 1111, 4111-1111-1111-1111")).toBe("<card_number_1>, <card_number_1>");
  });

  it("stand for a secret also where only another place gives it away", () => {
    const { interaction: redacted } = redact(
      interaction({
        query: "Log in",
        turns: [
          { turn: 1, inputs: "page", decision: "fill('23', 'lemon4de!x')", memory: null, result: null },
          { turn: 2, inputs: "password=lemon4de!x", decision: "click('24')", memory: null, result: null },
        ],
      }),
      { personalData: true },
    );
    expect(redacted.turns.map((turn) => turn.decision + turn.inputs)).toEqual([
      "fill('23', '<password_1>')page",
      "click('24')password=<password_1>",
    ]);
  });

  it("that came with the text are not given to other values", () => {
    expect(redactText("<email_1> wrote to ann@example.com")).toBe("<email_1> wrote to <email_2>");
  });
});

describe("metadata", () => {
  it("is redacted in its values and keys, however deep", () => {
    expect(
      redactMetadata({ a: [{ "ann@example.com": { note: token } }], n: 3, ok: true, none: null }),
    ).toEqual({
      a: [{ "<email_1>": { note: "<github_token_1>" } }],
      n: 3,
      ok: true,
      none: null,
    });
  });

  it("is redacted by the names of its fields", () => {
    expect(
      redactMetadata({ password: "sunflower", db: { apiKey: "a1b2c3d4e5f6a7b8" }, max_tokens: 4096 }),
    ).toEqual({
      password: "<password_1>",
      db: { apiKey: "<api_key_1>" },
      max_tokens: 4096,
    });
  });

  it("is redacted where a secret is a number", () => {
    expect(redactMetadata({ card: 4111111111111111, password: 98127634, order: 4029357733 })).toEqual({
      card: "<card_number_1>",
      password: "<password_1>",
      order: 4029357733,
    });
  });

  it("keeps a key that names a prototype", () => {
    const metadata = JSON.parse('{"__proto__": {"to": "ann@example.com"}}') as Record<string, unknown>;
    expect(JSON.stringify(redactMetadata(metadata))).toBe('{"__proto__":{"to":"<email_1>"}}');
  });
});

describe("redacting what is redacted", () => {
  const texts = [
    ...TOKENS.flatMap(({ secret }) => Object.values(SETTINGS).map((setting) => setting(secret))),
    ...[...NAMED, ...VENDOR_NAMED, ...PRIVATE_KEYS, ...PERSONAL].map(({ text }) => text),
  ];

  it("changes nothing in the corpus", () => {
    expect(
      texts.filter((text) => {
        const once = redactText(text);
        return redactText(once) !== once;
      }),
    ).toEqual([]);
  });

  it("changes nothing in any text put together from pieces of secrets", () => {
    const pieces = fc.constantFrom(
      ...[
        [
          "password",
          "api_key",
          "token",
          "Authorization: Bearer",
          "postgres://",
          "https://ann",
          "curl -u ann",
        ],
        [
          "=",
          ": ",
          ":",
          '"',
          "'",
          '\\"',
          "\n",
          "\\n",
          " ",
          ",",
          "@",
          "://",
          "-----BEGIN PRIVATE KEY-----",
          "<",
          ">",
        ],
        [
          "hunter2!x",
          "lemonade",
          "ann@example.com",
          "4111 1111 1111 1111",
          "+49 30 901820",
          "203.0.113.7",
          "<email_1>",
        ],
        [
          token,
          token.slice(0, 20),
          token.slice(20),
          "eyJ",
          "sk-",
          "AKIA",
          "is",
          "(",
          ")",
          "{",
          "}",
          "%40",
          "&",
          "|",
        ],
      ].flat(),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 14 }), fc.boolean(), (parts, personalData) => {
        const once = redactText(parts.join(""), personalData);
        expect(redactText(once, personalData)).toBe(once);
      }),
      { numRuns: 2000, seed: 7 },
    );
  });
});

it("leaves everything but texts as it is, and gives the same answer every time", () => {
  const given = interaction({
    query: `mail ann@example.com with ${token}`,
    turns: [{ turn: 9007199254740993n, inputs: "a", decision: "b", memory: null, result: null }],
    success: false,
    timestamp: "2024-05-20T14:05:59Z",
  });
  const first = redact(given, { personalData: true });
  expect(first.interaction).toEqual({ ...given, query: "mail <email_1> with <github_token_1>" });
  expect(first.found).toEqual({ email: 1, github_token: 1 });
  expect(redact(given, { personalData: true })).toEqual(first);
});

describe("hostile texts", () => {
  /** Processor time, not time on the clock: other work on the machine must not fail a test. */
  function cost(text: string): number {
    const runs = Array.from({ length: 3 }, () => {
      const before = process.cpuUsage();
      redactText(text);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });
    return Math.min(...runs);
  }

  it.each(HOSTILE)("take time in proportion to their length: %j", (piece) => {
    const text = piece.repeat(Math.ceil(40_000 / piece.length));
    const half = cost(text.slice(0, text.length / 2));
    const whole = cost(text);
    // Twice the text, twice the time; a square would be four times. Below a few milliseconds noise decides.
    expect(whole).toBeLessThan(Math.max(30, half * 3.2));
  });

  it("of a megabyte in one field are no harm", () => {
    const text = `${HARMLESS.join("\n")}\n${token}\n`;
    const long = text.repeat(Math.ceil(1_000_000 / text.length));
    expect(redactText(long)).toBe(long.replaceAll(token, "<github_token_1>"));
    expect(redactText("a".repeat(1_000_000))).toHaveLength(1_000_000);
    expect(redactText(`password=${"a1".repeat(500_000)}`)).toBe("password=<password_1>");
  });
});
