/** What one episode teaches, kind by kind. */
import { ALL, topics } from "../domain/topics.ts";
import { distilContrast, stepKeys } from "./distil/contrast.ts";
import { distilEfficiency } from "./distil/efficiency.ts";
import { distilErrors } from "./distil/errors.ts";
import { distilFacts } from "./distil/facts.ts";
import { distilPreconditions } from "./distil/preconditions.ts";
import { distilTools } from "./distil/tools.ts";
import { distilWorkflow } from "./distil/workflow.ts";
import { type Lesson, Notes } from "./lesson.ts";

export function distil(lesson: Lesson): Notes {
  const notes = new Notes();
  distilWorkflow(lesson, notes);
  distilErrors(lesson, notes);
  distilPreconditions(lesson, notes);
  distilContrast(lesson, notes);
  distilTools(lesson, notes);
  distilFacts(lesson, notes);
  distilEfficiency(lesson, notes);
  notes.tallies.push(
    { topic: topics.episodes(lesson.familyId), key: ALL },
    ...stepKeys(lesson).map((key) => ({ topic: topics.steps(lesson.familyId), key })),
    ...lesson.analysis.noopShapes.map(({ shape }) => ({ topic: topics.noop, key: shape })),
  );
  return notes;
}
