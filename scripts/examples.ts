/**
 * Lets the whole service learn from the made-up runs in examples/ and writes down what it learned and what it advises:
 * docs/examples/. `npm run examples`; nothing in there is edited by hand.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Domain, interactionOf } from "../examples/run.ts";
import { DOMAINS } from "../examples/runs.ts";
import type { Advice } from "../src/advise/advise.ts";
import { newTenant } from "../src/commands/issue-key.ts";
import { readConfig } from "../src/config.ts";
import { INSIGHT_KINDS } from "../src/domain/insight.ts";
import { tell } from "../src/domain/tell.ts";
import type { CountedInsight } from "../src/ports/store.ts";
import { openService, type Service } from "../src/service.ts";
import { newIdentity } from "../src/worker/identity.ts";
import { createWorker, type WorkerEvent } from "../src/worker/worker.ts";

interface Learned {
  readonly domain: Domain;
  readonly insights: readonly CountedInsight[];
  readonly advice: readonly Advice[];
}

const BEST = 10;
const FOLDER = fileURLToPath(new URL("../docs/examples/", import.meta.url));

await writeExamples();

async function writeExamples(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "whetstone-examples-"));
  const config = readConfig({ WHETSTONE_DATA_DIR: dataDir, WHETSTONE_EMBEDDER: "local" });
  const warn = (sentence: string): void => {
    // by words alone the documents would come out different
    throw new Error(sentence);
  };
  const service = await openService(config, { serving: false, clock: stepping(), warn });
  try {
    const learned: Learned[] = [];
    for (const domain of DOMAINS) learned.push(await learnFrom(service, domain));
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, "learned.md"), whatWasLearned(learned));
    writeFileSync(join(FOLDER, "advice.md"), whatIsAdvised(learned));
  } finally {
    await service.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** A second later whenever it is asked: the same every time. */
function stepping(): () => number {
  let now = Date.UTC(2031, 0, 1);
  return () => (now += 1_000);
}

async function learnFrom(service: Service, domain: Domain): Promise<Learned> {
  const tenantId = await newTenant(service, domain.title);
  const events: WorkerEvent[] = [];
  const observe = (event: WorkerEvent): void => void events.push(event);
  const worker = createWorker({ ...service, name: newIdentity(), concurrency: 1, observe });
  for (const run of domain.runs) {
    await service.accept({ tenantId, interaction: interactionOf(run, domain.agentType) });
    while ((await worker.tick()) > 0);
  }
  const unlearned = events.find((event) => event.kind !== "ended" || event.result !== "completed");
  if (unlearned !== undefined)
    throw new Error(`a run of ${domain.title} was not learned from`, { cause: unlearned });
  const insights = await service.store.listInsights(tenantId, { limit: 10_000 });
  const advice: Advice[] = [];
  for (const { text } of domain.requests)
    advice.push(await service.advise({ tenantId, text, context: {}, agentType: domain.agentType }));
  return { domain, insights, advice };
}

function whatWasLearned(learned: readonly Learned[]): string {
  const sections = learned.map(({ domain, insights }) => {
    const counts = INSIGHT_KINDS.map((kind) => ({
      kind,
      count: insights.filter(({ insight }) => insight.kind === kind).length,
    })).filter(({ count }) => count > 0);
    const best = bestOf(insights).map(
      (one, i) =>
        `${i + 1}. **${one.insight.kind}**, for \`${one.insight.appliesWhen}\`  \n    \`${tellOne(one)}\`  \n    ${countsOf(one)}`,
    );
    return `## ${domain.title}
${domain.about} ${insights.length} insights from ${endings(domain)}: ${counts.map(({ kind, count }) => `${count} ${kind}`).join(", ")}.

${best.join("\n")}
`;
  });
  return `# What was learned from the example runs
Five made-up agents (\`examples/\`), each with a tenant of its own. Below are ten insights of each, taken from the kinds in turn, the
best supported first. (Made by \`npm run examples\`.)

How to read them:
- The word in front is the kind: what to do (workflow, contrast, precondition), what to know (fact, tool, efficiency), what went
  wrong (pitfall) and the way out of it (recovery).
- Behind it stands what the insight is about: a kind of request, in which \`…\` stands for what varies, or a tool, a step, a thing.
- \`{1}\` in a step is a value that changes from run to run; the same number is the same value.
- The counts are runs: those that speak for it, by how they ended, and those that speak against it. An insight that one run alone
  has shown is a candidate; with a second one it is active.

${sections.join("\n")}`;
}

function tellOne({ insight: { structure }, support, unknown, against, values }: CountedInsight): string {
  return tell({ structure, support, unknown, against, values });
}

function countsOf({ status, support, unknown, against }: CountedInsight): string {
  const parts = [
    `${support.succeeded} runs that succeeded`,
    `${support.failed} that failed`,
    ...(unknown > 0 ? [`${unknown} of unknown end`] : []),
    ...(against > 0 ? [`${against} against it`] : []),
  ];
  return `*${status}; ${parts.join(", ")}*`;
}

function endings({ runs }: Domain): string {
  const count = (end: boolean | null) => runs.filter(({ success }) => success === end).length;
  const unknown = count(null);
  return `${runs.length} runs (${count(true)} succeeded, ${count(false)} failed${unknown > 0 ? `, ${unknown} unknown` : ""})`;
}

/** The best supported of every kind, since ten facts would tell little; in the order of the kinds. */
function bestOf(insights: readonly CountedInsight[]): CountedInsight[] {
  const ranked = [...insights].sort(
    (a, b) =>
      weight(b) - weight(a) ||
      INSIGHT_KINDS.indexOf(a.insight.kind) - INSIGHT_KINDS.indexOf(b.insight.kind) ||
      (a.insight.insightId < b.insight.insightId ? -1 : 1),
  );
  const rank = new Map<CountedInsight, number>();
  const ofKind = new Map<string, number>();
  for (const one of ranked) {
    const before = ofKind.get(one.insight.kind) ?? 0;
    ofKind.set(one.insight.kind, before + 1);
    rank.set(one, before);
  }
  const inTurn = [...ranked].sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0));
  const chosen = new Set(inTurn.slice(0, BEST));
  return INSIGHT_KINDS.flatMap((kind) =>
    ranked.filter((one) => one.insight.kind === kind && chosen.has(one)),
  );
}

function weight({ support, unknown, against }: CountedInsight): number {
  return support.succeeded + support.failed + unknown - against;
}

function whatIsAdvised(learned: readonly Learned[]): string {
  const sections = learned.map(({ domain, advice }) => {
    const requests = domain.requests.map(({ how, text }, i) => {
      const { response, abstained, recommendations } = advice[i] ?? {
        response: "",
        abstained: null,
        recommendations: [],
      };
      const outcome =
        abstained === null
          ? `Recommendations: ${recommendations.map(({ kind }) => kind).join(", ")}.`
          : `Abstained: ${abstained}.`;
      return `### ${capital(how)}
> ${text}

${outcome}

\`\`\`text
${response}
\`\`\`
`;
    });
    return `## ${domain.title}\n${requests.join("\n")}`;
  });
  return `# What is advised
Requests that none of the example runs was about, and the whole \`response\` to each: the input as it came, and under it what past runs
show, if anything does. What was learned is in [learned.md](learned.md). (Made by \`npm run examples\`.)

${sections.join("\n")}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
