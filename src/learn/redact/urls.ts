// Finds credentials in URLs and in the commands that take them as an argument.
import { ALNUM, DASH, DOT, isIn, runStart } from "./characters.ts";
import type { Span } from "./spans.ts";
import { isInert, looksRandom } from "./values.ts";

/** A URL of these is a connection string: with a password in it, it goes as a whole, host and user included. */
const DATABASE =
  /^(?:postgres(?:ql)?|mysqlx?|mariadb|mongodb|rediss?|valkey|amqps?|mssql|sqlserver|oracle|clickhouse|cockroachdb|couchdb|neo4j|bolt|cassandra|snowflake|redshift|db2|ldaps?|nats|kafka|memcached?|influxdb|cloudinary)(?:\+[a-z0-9]+)?$/i;
const URL_END = " \t\r\n\"'`<>\\";
const LONGEST_USERINFO = 512;

export function findUrlCredentials(text: string, spans: Span[]): void {
  let end = 0;
  for (let at = text.indexOf("://"); at !== -1; at = text.indexOf("://", Math.max(at + 3, end))) {
    const schemeStart = schemeStartBefore(text, at);
    if (schemeStart === at) continue;
    const database = DATABASE.test(text.slice(schemeStart, at));
    const from = at + 3;
    const sign = userinfoEnd(text, from, database);
    if (sign === -1) continue;
    const colon = text.slice(from, sign).indexOf(":");
    const secretStart = colon === -1 ? from : from + colon + 1;
    const secret = text.slice(secretStart, sign);
    if (
      colon === -1 ? secret.length < 16 || !looksRandom(secret) || isInert(secret) : isEmptyOrStandIn(secret)
    )
      continue;
    end = database ? urlEnd(text, sign) : sign;
    spans.push(
      database
        ? { start: schemeStart, end, kind: "connection_string" }
        : { start: secretStart, end, kind: colon === -1 ? "token" : "password" },
    );
  }
  findCommandCredentials(text, spans);
}

/** An escaped line break before the scheme (`\npostgres://`) lends it no letter. */
function schemeStartBefore(text: string, at: number): number {
  let start = runStart(text, at, ALNUM | DOT | DASH, 24);
  while (text[start - 1] === "+" && start > at - 24) start = runStart(text, start - 1, ALNUM, 24);
  return text[start - 1] === "\\" && /[nrt]/.test(text[start] ?? "") ? start + 1 : start;
}

/** Passwords are not always encoded as they should be: the last `@` counts, and a database's may hold a slash. */
function userinfoEnd(text: string, from: number, database: boolean): number {
  let sign = -1;
  let colon = false;
  for (let at = from; at < text.length && at < from + LONGEST_USERINFO; at += 1) {
    const character = text[at] ?? "";
    if (character === ":") colon = true;
    if (character === "@") sign = at;
    else if (URL_END.includes(character)) break;
    else if ("/?#".includes(character) && (sign !== -1 || !database || !colon)) break;
  }
  return sign === from ? -1 : sign;
}

function urlEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && !URL_END.includes(text[end] ?? "")) end += 1;
  while (/[.,;:)\]}]/.test(text[end - 1] ?? "")) end -= 1;
  return end;
}

function isEmptyOrStandIn(secret: string): boolean {
  return secret === "" || /^(?:[<[{*$%]|x{3,}$|\.{3})/i.test(secret) || /^[A-Z]+(?:_[A-Z]+)+$/.test(secret);
}

const COMMANDS: readonly { readonly word: string; readonly pattern: RegExp }[] = [
  { word: "curl", pattern: /\s(?:-u|-U|--user|--proxy-user)[ =]?["']?[^\s:"']{1,80}:([^\s"']{3,120})/d },
  { word: "wget", pattern: /--(?:http-|ftp-|proxy-)?password[ =]["']?([^\s"']{3,120})/d },
  { word: "sshpass", pattern: /\s-p[ ]{0,2}["']?([^\s"']{3,120})/d },
  { word: "mysql", pattern: /\s-p["']?([^\s"']{3,120})/d },
  { word: "redis-cli", pattern: /\s-a[ ]{1,2}["']?([^\s"']{3,120})/d },
];
const LONGEST_COMMAND = 400;

function findCommandCredentials(text: string, spans: Span[]): void {
  for (const { word, pattern } of COMMANDS) {
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
      if (isIn(text, at - 1, ALNUM)) continue;
      const [start, end] = pattern.exec(commandAt(text, at + word.length))?.indices?.[1] ?? [0, 0];
      const from = at + word.length;
      const value = text.slice(from + start, from + end);
      if (end > 0 && !isInert(value)) spans.push({ start: from + start, end: from + end, kind: "password" });
    }
  }
}

/** The rest of the command: to the end of the line, and on where a backslash continues it. */
function commandAt(text: string, from: number): string {
  const rest = text.slice(from, from + LONGEST_COMMAND);
  return /^(?:[^\n\\]|\\[^]){0,400}/.exec(rest)?.[0] ?? "";
}
