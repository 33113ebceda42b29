/** Recommendations as text: first the input, unchanged, then a short block marked as data from past runs. */
import { BLOCK_BEGIN, BLOCK_END } from "../domain/block.ts";
import { tell, tellValues } from "../domain/tell.ts";
import type { CountedInsight } from "../ports/store.ts";
import type { Plan } from "./choose-plan.ts";

/** Some 500 tokens, whatever the tokenizer. */
const MOST_CHARACTERS = 1_900;
const LONGEST_LINE = 240;

export function writePlan({ support, against, counted }: Plan, steps: readonly string[]): string {
  const runs = support.succeeded + against;
  const worked = runs === 1 ? "Seen once to work" : `Worked in ${support.succeeded} of ${runs} runs`;
  const lines = steps.map((step, i) => `${i + 1}. ${clean(step)}`);
  return [`${worked}:`, ...lines, `(for requests such as: ${clean(counted.insight.appliesWhen)})`].join("\n");
}

export function writeRemark({ insight, support, unknown, against, values }: CountedInsight): string {
  const { structure } = insight;
  if (structure.kind === "fact")
    return clean(`${structure.subject} was ${structure.relation} ${tellValues(values)}`);
  return clean(tell({ structure, support, unknown, against, values }));
}

export interface Section {
  readonly title: string | null;
  readonly texts: readonly string[];
}

/** Whole texts only, in their order, as long as there is room; a section that has none left is not there. */
export function writeBlock(input: string, sections: readonly Section[]): string {
  const lines: string[] = [];
  let room = MOST_CHARACTERS - BLOCK_BEGIN.length - BLOCK_END.length - 4;
  for (const { title, texts } of sections) {
    const heading = title === null ? [] : [title];
    for (const text of texts) {
      const addition = [...heading.splice(0), title === null ? text : `- ${text}`].join("\n");
      if (addition.length + 1 > room) continue;
      lines.push(addition);
      room -= addition.length + 1;
    }
  }
  return lines.length === 0 ? input : [input, "", BLOCK_BEGIN, ...lines, BLOCK_END].join("\n");
}

/** One line, nothing hidden, none of our own marks. */
function clean(text: string): string {
  const plain = text
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\s]+/gu, " ")
    .replace(/-{3,}/g, "--")
    .trim();
  return plain.length <= LONGEST_LINE ? plain : `${plain.slice(0, LONGEST_LINE - 1).trimEnd()}…`;
}
