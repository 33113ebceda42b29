// Runs once before the tests: the suites that start real processes run what a user would run, the build.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export default function build(): void {
  execFileSync("npm", ["run", "--silent", "build"], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: "inherit",
  });
}
