/**
 * Where the tests get PostgreSQL with pgvector from: a server program of this machine that has it, or Debian's and
 * Ubuntu's own packages, fetched with apt from the archive that this machine uses anyway, unpacked into a cache folder.
 * Nothing is installed, and nothing but fetching needs more rights than any user has.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of `postgres` and `initdb`. */
export function findBinaries(user: User): string {
  return installed() ?? fetched(user);
}

/** PostgreSQL refuses to run as root: then somebody without rights runs it. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

export function unprivileged(): User {
  const { uid, gid } = userInfo();
  if (uid !== 0) return { uid, gid };
  const passwd = readFileSync("/etc/passwd", "utf8");
  const [, , id, group] =
    (/^postgres:.*$/m.exec(passwd) ?? /^nobody:.*$/m.exec(passwd))?.[0].split(":") ?? [];
  if (id === undefined || group === undefined) throw new Error("there is no user that could run PostgreSQL");
  return { uid: Number(id), gid: Number(group) };
}

function installed(): string | null {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env.PATH ?? "").split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && hasVector(folder)) ?? null;
}

function hasVector(bin: string): boolean {
  const shared = spawnSync(join(bin, "pg_config"), ["--sharedir"], { encoding: "utf8" });
  return shared.status === 0 && existsSync(join(shared.stdout.trim(), "extension/vector.control"));
}

const VERSION = "17";
const FOLDER = `postgres-${VERSION}`;

/** A folder that the user who runs the server can read: the project's own where it is open to others. */
function cacheFolder({ uid, gid }: User): string {
  const project = fileURLToPath(new URL("../../.cache", import.meta.url));
  mkdirSync(project, { recursive: true });
  const readable = spawnSync("ls", [project], { uid, gid }).status === 0;
  return readable ? project : mkdirOf(join(tmpdir(), `whetstone-cache-${userInfo().uid}`));
}

function mkdirOf(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  return folder;
}

function fetched(user: User): string {
  const cache = cacheFolder(user);
  const bin = join(cache, FOLDER, "usr/lib/postgresql", VERSION, "bin");
  if (existsSync(join(bin, "initdb"))) return bin;
  const work = mkdtempSync(join(cache, "fetching-"));
  try {
    chmodSync(work, 0o755);
    unpackPackages(work);
    wrapPrograms(join(work, "root"), join(cache, FOLDER));
    try {
      renameSync(join(work, "root"), join(cache, FOLDER));
    } catch (error) {
      // another test run was faster
      if (!existsSync(join(bin, "initdb"))) throw error;
    }
    return bin;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The releases whose archive holds the packages, and the keyring their archive is signed with. */
const DISTRIBUTIONS: Readonly<
  Record<string, { readonly suites: readonly string[]; readonly keyring: string }>
> = {
  debian: { suites: ["trixie"], keyring: "/usr/share/keyrings/debian-archive-keyring.gpg" },
  ubuntu: { suites: ["questing", "plucky"], keyring: "/usr/share/keyrings/ubuntu-archive-keyring.gpg" },
};

function unpackPackages(work: string): void {
  const id = /^ID=(.*)$/m.exec(readIfThere("/etc/os-release"))?.[1] ?? "";
  const distribution = DISTRIBUTIONS[id];
  if (distribution === undefined) throw new Error("packages can be fetched on Debian and Ubuntu only");
  const failures: unknown[] = [];
  for (const suite of distribution.suites) {
    try {
      return unpackFrom(
        work,
        `deb [signed-by=${distribution.keyring}] ${archiveOf(id)} ${suite} main${id === "ubuntu" ? " universe" : ""}`,
      );
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, `no package of PostgreSQL ${VERSION} with pgvector could be fetched`);
}

/** The archive that this machine's own apt sources name. */
function archiveOf(id: string): string {
  const folder = "/etc/apt/sources.list.d";
  const files = [
    "/etc/apt/sources.list",
    ...(existsSync(folder) ? readdirSync(folder).filter((name) => /\.(list|sources)$/.test(name)) : []).map(
      (name) => join(folder, name),
    ),
  ];
  const archive = new RegExp(`^(?:URIs:|deb )[^#\\n]*?\\b(\\w+:\\S+/${id}(?:-ports)?/?)(?=\\s|$)`, "m");
  for (const file of files) {
    const found = archive.exec(readIfThere(file))?.[1];
    if (found !== undefined) return found;
  }
  throw new Error("this machine's apt sources name no archive");
}

function unpackFrom(work: string, source: string): void {
  const apt = join(work, "apt");
  for (const folder of ["lists/partial", "cache/archives/partial"])
    mkdirSync(join(apt, folder), { recursive: true });
  writeFileSync(join(apt, "status"), "");
  writeFileSync(join(apt, "sources.list"), `${source}\n`);
  const settings = {
    "Dir::State::lists": join(apt, "lists"),
    "Dir::State::status": join(apt, "status"),
    "Dir::Cache": join(apt, "cache"),
    "Dir::Etc::sourcelist": join(apt, "sources.list"),
    "Dir::Etc::sourceparts": "/dev/null",
    "Dir::Etc::preferencesparts": "/dev/null",
    "APT::Sandbox::User": userInfo().username,
    "Debug::NoLocking": "true",
  };
  writeFileSync(
    join(apt, "apt.conf"),
    Object.entries(settings)
      .map(([name, value]) => `${name} "${value}";\n`)
      .join(""),
  );
  const archives = join(apt, "cache/archives");
  const run = (program: string, ...args: readonly string[]) =>
    execFileSync(program, args, {
      cwd: archives,
      env: { ...process.env, APT_CONFIG: join(apt, "apt.conf") },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 180_000,
    });
  run("apt-get", "-qq", "update");
  const wanted = [`postgresql-${VERSION}`, `postgresql-${VERSION}-pgvector`];
  const needed = run(
    "apt-cache",
    "depends",
    "--recurse",
    "--no-recommends",
    "--no-suggests",
    "--no-conflicts",
    "--no-breaks",
    "--no-replaces",
    "--no-enhances",
    ...wanted,
  )
    .split("\n")
    .filter((name) => /^lib[\w.+-]+$/.test(name) && !NOT_NEEDED.test(name));
  run("apt-get", "-qq", "download", ...wanted, ...needed);
  for (const name of readdirSync(archives).filter((file) => file.endsWith(".deb"))) {
    run("dpkg", "-x", name, join(work, "root"));
  }
}

/** Compilers for just-in-time plans, scripting and set-up tools: large, and never loaded here. */
const NOT_NEEDED = /llvm|perl|python|systemd-shared|debconf|apt-|-bin$|-common$|-data$/;

/**
 * The packages may be newer than this machine's own C library, so each program is started by the loader that came
 * with it. `argv0` stays the wrapper, from whose place the server finds its other files.
 */
function wrapPrograms(root: string, target: string): void {
  const libraries = readdirSync(join(root, "usr/lib")).find((name) => name.endsWith("-linux-gnu"));
  if (libraries === undefined) throw new Error("the packages hold no libraries");
  const loader = readdirSync(join(root, "usr/lib", libraries)).find((name) =>
    /^ld-linux.*\.so\.\d$/.test(name),
  );
  if (loader === undefined) throw new Error("the packages hold no loader");
  const bin = join("usr/lib/postgresql", VERSION, "bin");
  for (const name of ["postgres", "initdb"]) {
    const program = join(root, bin, name);
    renameSync(program, `${program}.program`);
    const folder = join(target, "usr/lib", libraries);
    writeFileSync(
      program,
      `#!/bin/sh\nexec "${join(folder, loader)}" --library-path "${folder}" --argv0 "$0" "${join(target, bin, name)}.program" "$@"\n`,
    );
    chmodSync(program, 0o755);
    accessSync(program, constants.X_OK);
  }
}

function readIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
