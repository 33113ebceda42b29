/** What runs show about their world, as questions with counted answers: where a thing is found, what a step is done with. */
import type { PlaceFact } from "../../domain/analysis.ts";
import { topics } from "../../domain/topics.ts";
import { type Lesson, type Notes, span } from "../lesson.ts";

const MOST = 25;
/** Relations that say where a thing was before anything was done with it. */
const FOUND: ReadonlySet<string> = new Set(["from", "at"]);

export function distilFacts(lesson: Lesson, notes: Notes): void {
  whereThingsAre(lesson, notes);
  whatStepsAreDoneWith(lesson, notes);
}

function whereThingsAre({ analysis }: Lesson, notes: Notes): void {
  const handled = new Set(
    analysis.turns.flatMap(({ actions }) => actions.flatMap(({ slots }) => slots.map(({ kind }) => kind))),
  );
  const places = analysis.facts
    .filter((fact): fact is PlaceFact => fact.kind === "place" && FOUND.has(fact.relation))
    // of everything that was only seen, what the run had to do with
    .filter(({ relation, subject }) => relation === "from" || handled.has(subject));
  for (const { subject, object, turns } of places.slice(0, MOST)) {
    notes.see(
      {
        appliesWhen: subject,
        topics: [topics.thing(subject)],
        structure: { kind: "fact", subject, relation: "found at" },
      },
      { stance: "for", value: object, ...span(turns) },
    );
  }
}

/** Which things a step is done with in most runs is what the next run will need, too. */
function whatStepsAreDoneWith({ analysis }: Lesson, notes: Notes): void {
  const seen = new Set<string>();
  for (const { action, index } of analysis.workingSteps) {
    for (const { name, kind } of action.slots) {
      const said = `${action.verb} ${name} ${kind}`;
      if (kind === null || seen.has(said) || seen.size >= MOST) continue;
      seen.add(said);
      notes.see(
        {
          appliesWhen: action.verb,
          topics: [topics.tool(action.verb)],
          structure: { kind: "fact", subject: action.verb, relation: name },
        },
        { stance: "for", value: kind, from: index, to: index },
      );
    }
  }
}
