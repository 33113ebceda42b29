#!/usr/bin/env node
/** The command `whetstone`. Exit codes: 0 done, 1 done with trouble, 2 wrong words or a wrong set-up. */
import { UsageError } from "./commands/command.ts";
import { findCommand, help } from "./commands/commands.ts";
import { readConfig } from "./config.ts";
import { SetupError } from "./domain/errors.ts";

async function main(words: readonly string[]): Promise<number> {
  if (words.length === 0 || words[0] === "help" || words[0] === "--help") {
    console.log(help());
    return 0;
  }
  const found = findCommand(words);
  if (found === null) {
    console.error(`there is no command "${words.join(" ")}"; "whetstone help" lists them`);
    return 2;
  }
  try {
    return await found.command.run(found.rest, {
      config: () => readConfig(process.env),
      environment: process.env,
      out: (line) => console.log(line),
      err: (line) => console.error(line),
    });
  } catch (error) {
    if (error instanceof UsageError)
      console.error(`${error.message}\nusage: whetstone ${found.command.usage}`);
    else if (error instanceof SetupError) console.error(error.message);
    else throw error;
    return 2;
  }
}

process.exitCode = await main(process.argv.slice(2));
