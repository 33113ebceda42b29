import type { Action, Slot } from "../../domain/action.ts";
import type { QueryWords } from "./query-words.ts";
import { slotOf } from "./values.ts";
import { writeAction } from "./write-action.ts";

const COMMAND_LIMIT = 20;
const TOKEN_LIMIT = 40;

/** Programs whose first plain argument is the real verb. */
const WITH_SUBCOMMAND = new Set(
  (
    "git npm npx pnpm yarn pip pip3 uv poetry conda cargo go docker docker-compose podman kubectl helm terraform aws " +
    "gcloud az gh apt apt-get brew dnf yum systemctl service dotnet rustup make bundle gem composer mvn gradle"
  ).split(" "),
);
/** Programs that no sentence starts with. */
const PROGRAMS = new Set([
  ...[...WITH_SUBCOMMAND].filter(
    (name) => !["go", "make", "service", "bundle", "gem", "composer"].includes(name),
  ),
  ...(
    "ls cd pwd mkdir rmdir rm cp mv ln chmod chown grep egrep rg sed awk xargs tar gzip gunzip unzip curl wget ssh scp " +
    "rsync ps df du sudo bash sh zsh node deno bun tsx tsc python python3 pytest ruby perl php java javac gcc clang " +
    "psql mysql sqlite3 redis-cli jq vim nano ping ifconfig netstat whoami uname env"
  ).split(" "),
]);
/** Programs that are also everyday verbs: only with something that no sentence has. */
const ALSO_WORDS =
  /^(?:cat|find|head|tail|sort|cut|touch|kill|echo|test|which|who|make|go|service|open|time|date|wc|less|more|split|export|source|set|bundle|gem|composer|diff|file|patch|top|watch|tee|tr|uniq|stat|dd|man|id)$/;
const SHELL_MARK =
  /(?:^|\s)--?[a-z][\w-]*|(?:^|\s)(?:\.{0,2}|~)\/\S|\s(?:\||\|\||&&|>|>>|<|2>&1)\s|\$\(|\$\{?\w|\s\S+\.[a-z]{1,4}$/i;

/** Whether a line without any other mark is a shell command. */
export function looksLikeShell(line: string): boolean {
  const program = programOf(line);
  if (program === "") return false;
  return (
    PROGRAMS.has(program) || (ALSO_WORDS.test(program) && SHELL_MARK.test(line)) || /^\.{0,2}\/\S/.test(line)
  );
}

function programOf(line: string): string {
  return /^(?:[A-Z_]{1,40}=\S* ){0,3}([\w./~-]{1,80})(?=\s|$)/.exec(line)?.[1] ?? "";
}

/** One action a command; in a pipeline the first program is the command, the rest only shapes its output. */
export function readShell(script: string, query: QueryWords): Action[] {
  return splitCommands(script)
    .slice(0, COMMAND_LIMIT)
    .map((command) => readCommand(command, query))
    .filter((action) => action !== null);
}

function readCommand(command: readonly Token[], query: QueryWords): Action | null {
  const rest = command.filter(
    (token, at) => !(at < 3 && /^[A-Z_]+=/.test(token.text)) && token.text !== "sudo",
  );
  const program = rest[0]?.text.split("/").at(-1);
  if (program === undefined || program === "" || !/^[\w.-]+$/.test(program)) return null;
  const second = rest[1]?.text ?? "";
  const hasSubcommand = WITH_SUBCOMMAND.has(program) && /^[a-z][\w:-]*$/.test(second);
  const slots: Slot[] = [];
  let position = 0;
  for (const token of rest.slice(hasSubcommand ? 2 : 1, TOKEN_LIMIT)) {
    const flag = token.quoted ? null : /^(--?[A-Za-z][\w-]{0,40})(?:=(.*))?$/s.exec(token.text);
    if (flag?.[1] !== undefined) slots.push(slotOf(flag[1], flag[2] ?? "true", true, query));
    else slots.push(slotOf(String((position += 1)), token.text, token.quoted, query));
  }
  return writeAction("shell", hasSubcommand ? `${program} ${second}` : program, slots);
}

interface Token {
  readonly text: string;
  readonly quoted: boolean;
}

/** Splits a script at newlines, `;`, `&&` and `||` outside quotes, and drops what follows a pipe, a comment, a here-document. */
function splitCommands(script: string): Token[][] {
  const commands: Token[][] = [];
  for (const line of script.replaceAll("\\\n", " ").split("\n")) {
    let current: Token[] = [];
    let piped = false;
    for (const token of tokensOf(line.replace(/^\s*[$>]\s/, ""))) {
      const mark = token.quoted ? "" : token.text;
      if (mark === "#") break;
      if (mark === "&&" || mark === "||" || mark === ";") {
        if (current.length > 0) commands.push(current);
        current = [];
        piped = false;
      } else if (mark === "|") piped = true;
      else if (!piped) current.push(token);
    }
    if (current.length > 0) commands.push(current);
    if (commands.length >= COMMAND_LIMIT || /<<-?\s?['"]?\w/.test(line)) break;
  }
  return commands;
}

function tokensOf(line: string): Token[] {
  const tokens: Token[] = [];
  for (const match of line.matchAll(/"([^"]*)"|'([^']*)'|&&|\|\||[|;]|[^\s"'|;&]+|&/g)) {
    const quoted = match[1] ?? match[2];
    tokens.push(quoted === undefined ? { text: match[0], quoted: false } : { text: quoted, quoted: true });
    if (tokens.length >= 200) break;
  }
  return tokens;
}
