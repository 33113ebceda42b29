/** Writes the documents that are made from the code. `npm run docs`; a test holds them against it. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { generatedDocs } from "./generated-docs.ts";

for (const [file, text] of Object.entries(generatedDocs())) {
  writeFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), text);
}
