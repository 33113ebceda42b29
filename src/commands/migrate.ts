import type { Command } from "./command.ts";
import { readOptions } from "./options.ts";
import { withBase } from "./with-service.ts";

export const migrate: Command = {
  usage: "migrate",
  summary: "Bring the database's schema up to date. `serve` does so too.",
  async run(words, io) {
    readOptions(words, {});
    return withBase(io, async () => {
      io.out("the schema is up to date");
      return 0;
    });
  },
};
