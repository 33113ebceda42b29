import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { generatedDocs } from "../scripts/generated-docs.ts";

it.each(Object.entries(generatedDocs()))("%s is as the code says (npm run docs)", (file, text) => {
  expect(readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), "utf8")).toBe(text);
});
