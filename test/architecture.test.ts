/** Holds the table of rooms in ARCHITECTURE.md against the imports: who may know whom, and which packages. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SRC = join(ROOT, "src");

interface Room {
  readonly name: string;
  /** Rooms it may import; `*`: all. */
  readonly rooms: readonly string[];
  readonly packages: readonly string[];
}

function readTable(): Room[] {
  const text = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
  const table = text.slice(text.indexOf("| room |"), text.indexOf("\n\n", text.indexOf("| room |")));
  return table
    .split("\n")
    .slice(2)
    .flatMap((row) => {
      const [names = "", rooms = "", packages = ""] = row
        .split("|")
        .slice(1)
        .map((cell) => cell.trim());
      const list = (cell: string) => (cell === "-" ? [] : cell.split(",").map((part) => part.trim()));
      return list(names).map((name) => ({ name, rooms: list(rooms), packages: list(packages) }));
    });
}

/** `src/stores/sqlite/jobs.ts` is in `stores/sqlite`, `src/http/lax/x.ts` in `http`, `src/main.ts` is a room by itself. */
function roomOf(file: string): string {
  const [first = "", second = ""] = relative(SRC, file).split("/");
  return first === "stores" ? `${first}/${second}` : first;
}

const IMPORT = /(?:^import|\bfrom) "([^"]+)";$/gm;

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => join(SRC, file));
const rooms = new Map(readTable().map((room) => [room.name, room]));

describe("the table of rooms", () => {
  it("names every room there is, and none that is not", () => {
    expect([...new Set(files.map(roomOf))].sort()).toEqual([...rooms.keys()].sort());
  });

  it.each(files.map((file) => relative(ROOT, file)))("%s imports only what its room may", (file) => {
    const path = join(ROOT, file);
    const room = rooms.get(roomOf(path));
    const source = readFileSync(path, "utf8");
    for (const [, specifier = ""] of source.matchAll(IMPORT)) {
      if (specifier.startsWith("node:")) continue;
      if (specifier.startsWith(".")) {
        const target = roomOf(resolve(dirname(path), specifier));
        const allowed = target === room?.name || room?.rooms.includes("*") || room?.rooms.includes(target);
        expect(allowed, `${file} imports ${specifier}`).toBe(true);
      } else {
        expect(
          room?.packages.some((name) => specifier === name || name === "*"),
          `${file} imports ${specifier}`,
        ).toBe(true);
      }
    }
  });
});
