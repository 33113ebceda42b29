/** What must come first: the step after which another worked, and the call whose result holds an argument. */
import { topics } from "../../domain/topics.ts";
import { type Lesson, type Notes, span } from "../lesson.ts";

const MOST = 8;

export function distilPreconditions({ analysis, familyId }: Lesson, notes: Notes): void {
  const told = new Set<string>();
  const tell = (step: string, needs: string, verb: string, turns: readonly number[]): void => {
    if (told.size >= MOST || told.has(`${step} ${needs}`)) return;
    told.add(`${step} ${needs}`);
    notes.see(
      {
        appliesWhen: verb,
        topics: [topics.tool(verb), topics.family(familyId)],
        structure: { kind: "precondition", step, needs },
      },
      { stance: "for", value: null, ...span(turns) },
    );
  };
  for (const fact of analysis.facts) {
    if (fact.kind !== "flow" || fact.from === fact.to) continue;
    const from = fact.key === null ? fact.from : `${fact.from} (its ${fact.key})`;
    const argument = /^\d+$/.test(fact.argument) ? "" : ` (for ${fact.argument})`;
    tell(`${fact.to}${argument}`, from, fact.to, fact.turns.slice(0, 2));
  }
  for (const { action, needs, why, turns } of analysis.preconditions) {
    const verb = action.split(/[ (]/)[0] ?? action;
    if (why === "failed before it, worked after it")
      tell(withoutValues(action), withoutValues(needs), verb, turns);
  }
}

/** `put {query:apple} in microwave` holds for any apple. */
function withoutValues(template: string): string {
  return template.replace(/\{[^}]*\}/g, "…");
}
