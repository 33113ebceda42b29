/** Our own recommendations come back inside the next upload; learning from them would fill the store with its echo. */
import { BLOCK_BEGIN, BLOCK_END } from "../domain/block.ts";
import type { Interaction } from "../domain/interaction.ts";

export function stripEcho(interaction: Interaction): Interaction {
  return {
    ...interaction,
    query: withoutBlocks(interaction.query),
    turns: interaction.turns.map((turn) => ({
      ...turn,
      inputs: withoutBlocks(turn.inputs),
      memory: turn.memory === null ? null : withoutBlocks(turn.memory),
    })),
  };
}

/** A block that was cut off before its end goes up to the end of the text. */
function withoutBlocks(text: string): string {
  let kept = "";
  let position = 0;
  for (;;) {
    const begin = text.indexOf(BLOCK_BEGIN, position);
    if (begin < 0) return kept === "" && position === 0 ? text : (kept + text.slice(position)).trimEnd();
    kept += text.slice(position, begin);
    const end = text.indexOf(BLOCK_END, begin);
    if (end < 0) return kept.trimEnd();
    position = end + BLOCK_END.length;
  }
}
