import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("keeps its promises in a short simulation with known truth", { timeout: 90_000 }, () => {
  const printed = execFileSync(process.execPath, ["--import", "tsx", "bench/proof.ts", "--quick"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    encoding: "utf8",
  });
  expect(printed).toContain("| harmless, yet retired | at most 2% |");
  expect(printed).not.toContain("| NO |");
});
