/** How few turns a success of this kind needs. */
import { topics } from "../../domain/topics.ts";
import type { Lesson, Notes } from "../lesson.ts";

export function distilEfficiency({ analysis, success, familyId, shape }: Lesson, notes: Notes): void {
  const turns = analysis.turns.length;
  if (success !== true || turns === 0) return;
  notes.see(
    {
      identity: familyId,
      appliesWhen: shape.text,
      topics: [topics.family(familyId)],
      structure: { kind: "efficiency" },
    },
    { stance: "for", value: String(turns), from: 0, to: turns - 1 },
  );
}
