// What redaction hides, what it leaves alone and how fast it is: npx tsx bench/redact.ts [--data DIR]
// Speed is measured on text made here; with --data also on the uploads in DIR/trajectories/*.jsonl.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Interaction, Turn } from "../src/domain/interaction.ts";
import { redact } from "../src/learn/redact.ts";
import {
  HOSTILE,
  NAMED,
  PERSONAL,
  PRIVATE_KEYS,
  SETTINGS,
  TOKENS,
  VENDOR_NAMED,
} from "../test/learn/redact-corpus.ts";
import { HARMLESS } from "../test/learn/redact-harmless.ts";

const HOSTILE_LENGTH = 100_000;

function interaction(query: string, turns: readonly Turn[] = []): Interaction {
  return { query, turns, success: null, agentType: null, timestamp: null, metadata: null };
}

function redactText(text: string): string {
  return redact(interaction(text), { personalData: true }).interaction.query;
}

/** Milliseconds of processor time: on a shared machine the clock says more about the others. */
function cost(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function lengthOf({ query, turns }: Interaction): number {
  return turns.reduce(
    (sum, turn) =>
      sum +
      turn.inputs.length +
      turn.decision.length +
      (turn.memory ?? "").length +
      (turn.result ?? "").length,
    query.length,
  );
}

function reportHidden(name: string, samples: readonly { readonly hidden: boolean }[]): void {
  const hidden = samples.filter((sample) => sample.hidden).length;
  console.log(`${name.padEnd(34)} ${hidden} of ${samples.length}`);
}

function reportSpeed(name: string, interactions: readonly Interaction[]): void {
  const found: Record<string, number> = {};
  const work = (): void => {
    for (const one of interactions) {
      for (const [kind, places] of Object.entries(redact(one, { personalData: true }).found)) {
        found[kind] = (found[kind] ?? 0) + places;
      }
    }
  };
  work();
  for (const kind of Object.keys(found)) delete found[kind];
  const milliseconds = cost(work);
  const megabytes = interactions.reduce((sum, one) => sum + lengthOf(one), 0) / 1e6;
  const speed = (megabytes * 1000) / milliseconds;
  console.log(
    `${name.padEnd(34)} ${speed.toFixed(1)} MB/s of ${megabytes.toFixed(1)} MB ${JSON.stringify(found)}`,
  );
}

/** Pages of ordinary lines, each turn seeing what the last one brought, now and then with something to hide. */
function madeInteractions(): Interaction[] {
  const secrets = [...NAMED, ...PERSONAL];
  return Array.from({ length: 200 }, (_, i) => {
    const pages = Array.from({ length: 9 }, (__, page) => {
      const lines = Array.from(
        { length: 30 },
        (___, line) => HARMLESS[(i * 31 + page * 17 + line * 7) % HARMLESS.length] ?? "",
      );
      return [...lines, page === 4 ? (secrets[i % secrets.length]?.text ?? "") : "done"].join("\n");
    });
    const turns = pages.slice(1).map((result, turn) => ({
      turn: turn + 1,
      inputs: pages[turn] ?? "",
      decision: `click('${turn * 37 + i}')`,
      memory: null,
      result,
    }));
    return interaction(`find the ${i}th order and report its total`, turns);
  });
}

function uploadsIn(directory: string): Map<string, Interaction[]> {
  const files = readdirSync(directory).filter(
    (file) => file.endsWith(".jsonl") && !file.includes(".labels."),
  );
  return new Map(
    files.map((file) => {
      const lines = readFileSync(join(directory, file), "utf8")
        .split("\n")
        .filter((line) => line !== "");
      const uploads = lines.map((line) => JSON.parse(line) as Pick<Interaction, "query" | "turns">);
      return [file, uploads.map(({ query, turns }) => interaction(query, turns))];
    }),
  );
}

const { values: options } = parseArgs({ options: { data: { type: "string" } } });

reportHidden(
  "tokens hidden, every setting",
  TOKENS.flatMap(({ secret }) =>
    Object.values(SETTINGS).map((setting) => ({
      hidden: !decodeURIComponent(redactText(setting(secret))).includes(secret),
    })),
  ),
);
reportHidden(
  "secrets hidden by name or place",
  [...NAMED, ...VENDOR_NAMED].map(({ secret, text }) => ({ hidden: !redactText(text).includes(secret) })),
);
reportHidden(
  "private keys hidden",
  PRIVATE_KEYS.map(({ secret, text }) => {
    const redacted = redactText(text);
    return {
      hidden: !secret
        .split("\n")
        .slice(1, -1)
        .some((line) => redacted.includes(line)),
    };
  }),
);
reportHidden(
  "personal data hidden",
  PERSONAL.map(({ secret, text }) => ({ hidden: !redactText(text).includes(secret) })),
);
const changed = HARMLESS.filter((line) => redactText(line) !== line);
console.log(`${"harmless lines changed".padEnd(34)} ${changed.length} of ${HARMLESS.length}`);

reportSpeed("made text", madeInteractions());
if (options.data !== undefined) {
  for (const [file, interactions] of uploadsIn(join(options.data, "trajectories")))
    reportSpeed(file, interactions);
}

const slowest = HOSTILE.map((piece) => {
  const text = piece.repeat(Math.ceil(HOSTILE_LENGTH / piece.length));
  return { piece, milliseconds: Math.min(...[1, 2].map(() => cost(() => redactText(text)))) };
}).sort((a, b) => b.milliseconds - a.milliseconds);
for (const { piece, milliseconds } of slowest.slice(0, 5)) {
  console.log(
    `${"slowest hostile text, 100 kB".padEnd(34)} ${milliseconds.toFixed(1)} ms ${JSON.stringify(piece)}`,
  );
}
