/** Uploads from a file, one a line, read as the interface would read them; tenant_id may be there or not. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { SetupError } from "../domain/errors.ts";
import type { Interaction } from "../domain/interaction.ts";
import { AgentKnowledgeUpload } from "../http/interface/schemas.ts";
import { uploadedInteraction } from "../http/interface/uploaded-interaction.ts";
import { DEFAULT_LIMITS } from "../http/reading/limits.ts";
import { readBody } from "../http/reading/read-body.ts";

export interface ReadUpload {
  /** Of the line, first 1. */
  readonly number: number;
  readonly line: string;
  /** What is wrong with it, where it is no upload. */
  readonly upload: Interaction | string;
}

export async function* readUploads(file: string): AsyncGenerator<ReadUpload> {
  await stat(file).catch((cause: unknown) => {
    throw new SetupError(`cannot read ${file}`, { cause });
  });
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    number += 1;
    if (line.trim() !== "") yield { number, line, upload: readLine(line) };
  }
}

const Upload = AgentKnowledgeUpload.omit({ tenant_id: true });

function readLine(line: string): Interaction | string {
  const read = readBody(Upload, Buffer.from(line), undefined, DEFAULT_LIMITS);
  return read.ok ? uploadedInteraction(read.value) : JSON.stringify(read.body);
}
