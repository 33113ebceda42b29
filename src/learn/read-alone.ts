/** What learning makes of one interaction by itself, with nothing known before. */
import type { Analysis } from "../domain/analysis.ts";
import { intentOf } from "../domain/intent.ts";
import type { Interaction } from "../domain/interaction.ts";
import { shapeIntent } from "../domain/shape.ts";
import { ALL } from "../domain/topics.ts";
import { analyse } from "./analyse.ts";
import { distil } from "./distil.ts";
import type { Notes } from "./lesson.ts";
import { redact } from "./redact.ts";
import { skeletonOf } from "./skeleton.ts";
import { stripEcho } from "./strip-echo.ts";
import { wordsUsedAsValues } from "./words-used.ts";

export function readAlone(uploaded: Interaction): { readonly analysis: Analysis; readonly notes: Notes } {
  const interaction = stripEcho(redact(uploaded, { personalData: true }).interaction);
  const analysis = analyse(interaction);
  const { shape, gaps } = shapeIntent(intentOf(interaction.query), wordsUsedAsValues(analysis));
  const notes = distil({
    analysis,
    success: interaction.success,
    shape,
    plan: skeletonOf(analysis.workingSteps, gaps),
    familyId: shape.shapeId,
    known: [],
    steps: [],
    episodes: { key: ALL, succeeded: 0, failed: 0, unknown: 0 },
  });
  return { analysis, notes };
}
