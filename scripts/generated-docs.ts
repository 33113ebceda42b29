import { COMMANDS } from "../src/commands/commands.ts";
import { SETTINGS } from "../src/config.ts";

/** The documents that are made from the code, by their place. */
export function generatedDocs(): Record<string, string> {
  return { "docs/configuration.md": configuration(), "docs/commands.md": commands() };
}

function configuration(): string {
  const rows = Object.values(SETTINGS).map(
    ({ variable, standard, meaning }) => `| \`${variable}\` | ${standard} | ${meaning} |`,
  );
  return `# Configuration
Settings are environment variables. A wrong value stops the start with a sentence that says what it may be; an unknown name is
logged and ignored. \`whetstone doctor\` checks all of it. (Made from \`src/config.ts\` by \`npm run docs\`.)

| variable | default | meaning |
|---|---|---|
${rows.join("\n")}
`;
}

function commands(): string {
  const rows = Object.values(COMMANDS).map(
    ({ usage, summary }) => `| \`whetstone ${usage.replaceAll("|", "\\|")}\` | ${summary} |`,
  );
  return `# Commands
Run them as \`npx whetstone …\` in the project's folder after \`npm run build\`, or as \`node dist/main.js …\`. Exit codes: 0 done, 1 done with
trouble, 2 wrong words or a wrong set-up. (Made from \`src/commands\` by \`npm run docs\`.)

| command | what it does |
|---|---|
${rows.join("\n")}
`;
}
