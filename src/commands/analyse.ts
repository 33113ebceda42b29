import { tell } from "../domain/tell.ts";
import { readAlone } from "../learn/read-alone.ts";
import { type Command } from "./command.ts";
import { readOptions, required } from "./options.ts";
import { readUploads } from "./read-uploads.ts";

export const analyse: Command = {
  usage: "analyse FILE.jsonl",
  summary: "What learning would make of each upload, as a JSON line each. Stores nothing.",
  async run(words, io) {
    const { positionals } = readOptions(words, {});
    let refused = 0;
    for await (const { number, upload } of readUploads(required(positionals[0], "FILE.jsonl"))) {
      if (typeof upload === "string") {
        refused += 1;
        io.err(`line ${number}: ${upload}`);
        continue;
      }
      const { analysis, notes } = readAlone(upload);
      io.out(
        JSON.stringify({
          record_id: upload.metadata?.["record_id"] ?? `line ${number}`,
          actions: analysis.turns.map(({ turn, actions, outcome }) => ({
            turn,
            outcome,
            actions: actions.map(({ verb, template }) => ({ verb, template })),
          })),
          errors: analysis.turns.flatMap(({ turn, error }) => (error === null ? [] : [{ turn, ...error }])),
          loops: analysis.loops,
          mistake_turn: analysis.mistake?.turn ?? null,
          mistake: analysis.mistake,
          recoveries: analysis.recoveries,
          insights: [...notes.insights.values()].map((insight) => ({
            id: insight.insightId,
            kind: insight.kind,
            applies_when: insight.appliesWhen,
            text: tell({
              structure: insight.structure,
              ...aloneCounts(upload.success),
              values: valuesOf(notes, insight.insightId),
            }),
            evidence: notes.evidence.filter(({ insightId }) => insightId === insight.insightId),
          })),
        }),
      );
    }
    return refused === 0 ? 0 : 1;
  },
};

function aloneCounts(success: boolean | null) {
  return {
    support: { succeeded: Number(success === true), failed: Number(success === false) },
    unknown: Number(success === null),
    against: 0,
  };
}

function valuesOf(notes: ReturnType<typeof readAlone>["notes"], insightId: string) {
  return notes.evidence
    .filter((one) => one.insightId === insightId && one.value !== null)
    .map(({ value }) => ({ value: value ?? "", count: 1 }));
}
