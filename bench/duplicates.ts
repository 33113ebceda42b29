/**
 * Do many runs become few insights? 1,000 uploads of 40 intents, each worded and done in several ways, and then the insights
 * counted. `npm run bench:duplicates`. Also tells how many uploads a second one core learns from.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newTenant } from "../src/commands/issue-key.ts";
import { readConfig } from "../src/config.ts";
import type { Interaction } from "../src/domain/interaction.ts";
import { openService } from "../src/service.ts";
import { newIdentity } from "../src/worker/identity.ts";
import { createWorker } from "../src/worker/worker.ts";

const DEEDS = ["cancel", "renew", "print", "archive", "share", "approve", "translate", "schedule"];
const THINGS = ["invoice", "contract", "booking", "badge", "report"];
const UPLOADS = 1_000;

/** A generator with a seed: the same runs each time. */
let state = 7;
function random(): number {
  state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
  return state / 0x7fffffff;
}

function run(deed: string, thing: string): Interaction {
  const id = `${thing.charAt(0).toUpperCase()}-${Math.floor(1_000 + 9_000 * random())}`;
  const says = [
    `${deed} ${thing} ${id}`,
    `please ${deed} the ${thing} ${id}`,
    `${deed} the ${thing} ${id} for me`,
  ];
  const steps: [string, string][] = [[`find_${thing}(id="${id}")`, `{"id": "${id}", "state": "open"}`]];
  if (random() < 0.3) steps.push([`get_history(id="${id}")`, '{"entries": 3}']);
  if (random() < 0.4) steps.push([`${deed}_${thing}(id="${id}")`, "error: field 'confirm' is required"]);
  const success = random() < 0.8;
  steps.push(
    success ? [`${deed}_${thing}(id="${id}", confirm=true)`, '{"done": true}'] : ["give_up()", "closed"],
  );
  if (success && random() < 0.3) steps.push([`notify(about="${id}")`, "sent"]);
  return {
    query: says[Math.floor(says.length * random())] ?? "",
    turns: steps.map(([decision, result], i) => ({
      turn: i + 1,
      inputs: "",
      decision,
      memory: null,
      result,
    })),
    success,
    agentType: "office",
    timestamp: null,
    metadata: null,
  };
}

const directory = mkdtempSync(join(tmpdir(), "whetstone-bench-"));
const service = await openService(readConfig({ WHETSTONE_DATA_DIR: directory }), { serving: false });
const tenantId = await newTenant(service, "bench");
const intents = DEEDS.flatMap((deed) => THINGS.map((thing) => ({ deed, thing })));
for (let n = 0; n < UPLOADS; n++) {
  const { deed, thing } = intents[n % intents.length] ?? { deed: "", thing: "" };
  await service.accept({ tenantId, interaction: run(deed, thing) });
}
const worker = createWorker({ ...service, name: newIdentity(), concurrency: 8, observe: () => {} });
const begun = process.cpuUsage();
const clock = performance.now();
while ((await worker.tick()) > 0);
const { user, system } = process.cpuUsage(begun);
const learned = await service.store.listInsights(tenantId, { limit: 100_000 });
console.log(`${UPLOADS} uploads of ${intents.length} intents: ${learned.length} insights`);
console.log(
  `  ${(UPLOADS / ((performance.now() - clock) / 1_000)).toFixed(0)} uploads/s, ${(UPLOADS / ((user + system) / 1e6)).toFixed(0)} a CPU second (embedding included)`,
);
for (const kind of new Set(learned.map(({ insight }) => insight.kind))) {
  const ofKind = learned.filter(({ insight }) => insight.kind === kind);
  const about = (deed: string, thing: string) =>
    ofKind.filter(({ insight }) => {
      const text = JSON.stringify([insight.appliesWhen, insight.structure]);
      return text.includes(deed) && text.includes(thing);
    }).length;
  const each = intents.map(({ deed, thing }) => about(deed, thing));
  console.log(
    `  ${kind}: ${ofKind.length}, an intent ${(each.reduce((a, b) => a + b, 0) / each.length).toFixed(2)} on average, at most ${Math.max(...each)}`,
  );
}
await service.close();
rmSync(directory, { recursive: true, force: true });
