/** How calls of a tool with certain arguments go. */
import type { ActionForm } from "../../domain/action.ts";
import { topics } from "../../domain/topics.ts";
import type { Lesson, Notes } from "../lesson.ts";

const MOST = 15;
const TOOLS: ReadonlySet<ActionForm> = new Set(["json", "tag", "call", "shell"]);
export const WORKED = "worked";
export const FAILED = "failed";

export function distilTools({ analysis }: Lesson, notes: Notes): void {
  const seen = new Map<string, { tool: string; names: string[]; value: string; index: number }>();
  for (const { actions, outcome, index } of analysis.turns) {
    if (outcome !== "effective" && outcome !== "error") continue;
    for (const action of actions) {
      const names = [
        ...new Set(action.slots.map(({ name }) => name).filter((name) => !/^\d+$/.test(name))),
      ].sort();
      // without names there is nothing to tell calls apart by
      if (!TOOLS.has(action.form) || names.length === 0) continue;
      const value = outcome === "effective" ? WORKED : FAILED;
      seen.set(`${action.verb} ${names.join(" ")} ${value}`, { tool: action.verb, names, value, index });
    }
  }
  for (const { tool, names, value, index } of [...seen.values()].slice(0, MOST)) {
    notes.see(
      { appliesWhen: tool, topics: [topics.tool(tool)], structure: { kind: "tool", tool, arguments: names } },
      { stance: "for", value, from: index, to: index },
    );
  }
}
