/** Recommendations as text: first the input, unchanged, then a short block marked as data from past runs. */
import { BLOCK_BEGIN, BLOCK_END } from "../domain/block.ts";
import type { Insight, Support } from "../domain/insight.ts";

const MOST_CHARACTERS = 1_900;

function one({ kind, appliesWhen, structure }: Insight, support: Support): string {
  const when = `When asked: "${clean(appliesWhen, 160)}"`;
  if (kind === "workflow") {
    const steps = structure.steps.map((step, i) => `${i + 1}. ${clean(step, 160)}`);
    return [`${when} (worked ${times(support.succeeded)})`, ...steps].join("\n");
  }
  const because = structure.because ? ` It gave: "${clean(structure.because, 120)}"` : "";
  return `${when}, avoid: ${clean(structure.steps[0] ?? "", 160)}.${because} (seen ${times(support.succeeded + support.failed)})`;
}

function all(input: string, recommendations: readonly { readonly text: string }[]): string {
  const texts: string[] = [];
  let room = MOST_CHARACTERS - BLOCK_BEGIN.length - BLOCK_END.length - 4;
  for (const { text } of recommendations) {
    if (text.length + 1 > room) continue;
    texts.push(text);
    room -= text.length + 1;
  }
  return texts.length === 0 ? input : [input, "", BLOCK_BEGIN, ...texts, BLOCK_END].join("\n");
}

/** One line, nothing hidden, none of our own marks. */
function clean(text: string, most: number): string {
  const plain = text
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\s]+/gu, " ")
    .replace(/-{3,}/g, "--")
    .trim();
  return plain.length <= most ? plain : `${plain.slice(0, most - 1).trimEnd()}…`;
}

function times(n: number): string {
  return n === 1 ? "once" : `${n} times`;
}

export const write = { one, all };
