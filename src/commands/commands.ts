/** Every command by its words. A new one is a file beside this and a line here. */
import type { Command } from "./command.ts";
import { analyse } from "./analyse.ts";
import { ask } from "./ask.ts";
import { doctor } from "./doctor.ts";
import { forget } from "./forget.ts";
import { importHistory } from "./import.ts";
import { insightsList, insightsRetire, insightsShow } from "./insights.ts";
import { jobsList, jobsRetry, openError } from "./jobs.ts";
import { keysIssue, keysList, keysRevoke, keysRotate } from "./keys.ts";
import { migrate } from "./migrate.ts";
import { reindex } from "./reindex.ts";
import { report } from "./report.ts";
import { serve } from "./serve.ts";
import { tenantsList, tenantsRemove, tenantsSet } from "./tenants.ts";
import { worker } from "./worker.ts";

export const COMMANDS: Readonly<Record<string, Command>> = {
  serve,
  worker,
  migrate,
  "keys issue": keysIssue,
  "keys list": keysList,
  "keys revoke": keysRevoke,
  "keys rotate": keysRotate,
  "tenants list": tenantsList,
  "tenants set": tenantsSet,
  "tenants remove": tenantsRemove,
  "jobs list": jobsList,
  "jobs retry": jobsRetry,
  "open-error": openError,
  "insights list": insightsList,
  "insights show": insightsShow,
  "insights retire": insightsRetire,
  report,
  analyse,
  ask,
  forget,
  reindex,
  import: importHistory,
  doctor,
};

export function help(): string {
  const lines = Object.values(COMMANDS).map(({ usage, summary }) => `  whetstone ${usage}\n      ${summary}`);
  return [
    "Whetstone makes software agents better by learning from their own past runs.",
    "",
    ...lines,
    "",
    SETTINGS,
  ].join("\n");
}

const SETTINGS = "Settings are environment variables; docs/configuration.md lists them.";

/** The command that the first one or two words name, and the words left for it. */
export function findCommand(words: readonly string[]): { command: Command; rest: readonly string[] } | null {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(" ");
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command !== undefined) return { command, rest: words.slice(length) };
  }
  return null;
}
