/** The long form of test/crash: `npm run crash -- [--kills 100]`. Kills the server again and again under load, then checks the books. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killLoop } from "../test/crash/kill-loop.ts";

const at = process.argv.indexOf("--kills");
const kills = at < 0 ? 100 : Number(process.argv[at + 1]);
const folder = mkdtempSync(join(tmpdir(), "whetstone-kill-"));
const report = await killLoop(folder, { kills, connections: 32, upMs: 400 });
rmSync(folder, { recursive: true, force: true });
console.log(JSON.stringify(report));
process.exitCode = report.lost + report.doubled === 0 ? 0 : 1;
