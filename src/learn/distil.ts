/** What one interaction teaches: the steps that worked, and the steps that did not. */
import { contentId } from "../domain/ids.ts";
import type { Evidence, Insight, InsightKind, InsightStructure } from "../domain/insight.ts";
import type { Intent } from "../domain/intent.ts";
import type { Interaction, Turn } from "../domain/interaction.ts";

export interface Distilled {
  readonly insights: readonly Insight[];
  readonly evidence: readonly Evidence[];
  readonly skipped: number;
}

/** A step longer than this is prose, not a step that another run could take. */
const LONGEST_STEP = 200;
const MOST_STEPS = 25;
const MOST_PITFALLS = 5;

/** Words by which tools and environments say that a step did not work. */
const REFUSAL =
  /\b(?:error|exception|failed|failure|invalid|not found|denied|forbidden|cannot|can't|unable|unknown|nothing happens|timed? ?out)\b/i;

export function distil(episodeId: string, intent: Intent, interaction: Interaction): Distilled {
  const steps = interaction.turns.map((turn, position) => ({
    position,
    text: stepOf(turn),
    refused: wasRefused(turn),
  }));
  const usable = steps.filter(({ text }) => text !== null && text.length <= LONGEST_STEP);
  const worked = usable.filter(({ refused }) => !refused).slice(0, MOST_STEPS);
  const refused = usable.filter((step) => step.refused).slice(0, MOST_PITFALLS);
  const insights = new Map<string, Insight>();
  const evidence: Evidence[] = [];

  const see = (kind: InsightKind, structure: InsightStructure, from: number, to: number): void => {
    const insightId = contentId("insight", kind, intent.intentId, JSON.stringify(structure));
    if (insights.has(insightId)) return;
    insights.set(insightId, { insightId, kind, appliesWhen: intent.text, structure });
    evidence.push({ insightId, episodeId, stance: "for", from, to });
  };

  const first = worked[0];
  const last = worked.at(-1);
  if (interaction.success === true && first !== undefined && last !== undefined) {
    see("workflow", { steps: worked.map(({ text }) => text ?? "") }, first.position, last.position);
  }
  for (const { text, position } of refused) {
    see(
      "pitfall",
      { steps: [text ?? ""], because: reasonOf(interaction.turns[position]) },
      position,
      position,
    );
  }
  return { insights: [...insights.values()], evidence, skipped: steps.length - usable.length };
}

function stepOf(turn: Turn): string | null {
  const text = turn.decision.replace(/\s+/g, " ").trim();
  return text === "" ? null : text;
}

function wasRefused(turn: Turn): boolean {
  return turn.result !== null && REFUSAL.test(turn.result.slice(0, 2_000));
}

function reasonOf(turn: Turn | undefined): string {
  return (turn?.result ?? "").replace(/\s+/g, " ").trim().slice(0, 120);
}
