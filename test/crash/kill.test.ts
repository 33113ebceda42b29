import { expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { killLoop } from "./kill-loop.ts";

it("loses no acknowledged upload and doubles none when it is killed under load", async () => {
  const report = await killLoop(temporaryFolder(), { kills: 8, connections: 32, upMs: 400 });
  expect(report).toMatchObject({ lost: 0, doubled: 0 });
  expect(report.acknowledged).toBeGreaterThan(100);
}, 120_000);
