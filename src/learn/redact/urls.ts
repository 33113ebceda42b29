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
  let sign = 0;
  for (let at = text.indexOf("://"); at !== -1; at = text.indexOf("://", Math.max(at + 3, end))) {
    const schemeStart = schemeStartBefore(text, at);
    if (schemeStart === at) continue;
    const database = DATABASE.test(text.slice(schemeStart, at));
    const from = at + 3;
    if (sign < from) sign = text.indexOf("@", from);
    if (sign === -1) break;
    const userEnd = userinfoEnd(text, from, sign, database);
    if (userEnd === -1) continue;
    const colon = text.slice(from, userEnd).indexOf(":");
    const secretStart = colon === -1 ? from : from + colon + 1;
    const secret = text.slice(secretStart, userEnd);
    if (
      colon === -1
        ? secret.length < 16 || !looksRandom(secret) || isInert(secret, true)
        : isEmptyOrStandIn(secret)
    )
      continue;
    end = database ? urlEnd(text, userEnd) : userEnd;
    spans.push(
      database
        ? { start: schemeStart, end, kind: "connection_string" }
        : { start: secretStart, end, kind: colon === -1 ? "token" : "password" },
    );
  }
  findDriverCredentials(text, spans);
  findCommandCredentials(text, spans);
}

/** `app:hunter2@tcp(db:3306)/shop`, as the drivers for Go take it. */
function findDriverCredentials(text: string, spans: Span[]): void {
  for (const mark of ["@tcp(", "@unix("]) {
    for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + mark.length)) {
      let wordStart = at;
      while (wordStart > Math.max(0, at - 160) && !URL_END.includes(text[wordStart - 1] ?? " "))
        wordStart -= 1;
      const word = text.slice(wordStart, at);
      const password = word.slice(word.indexOf(":") + 1);
      const start = at - password.length;
      if (password !== word && !isEmptyOrStandIn(password)) spans.push({ start, end: at, kind: "password" });
    }
  }
}

/** An escaped line break before the scheme (`\npostgres://`) lends it no letter. */
function schemeStartBefore(text: string, at: number): number {
  let start = runStart(text, at, ALNUM | DOT | DASH, 24);
  while (text[start - 1] === "+" && start > at - 24) start = runStart(text, start - 1, ALNUM, 24);
  return text[start - 1] === "\\" && /[nrt]/.test(text[start] ?? "") ? start + 1 : start;
}

/**
 * Where the user's part of the URL ends, given the next `@`; -1: it has none. Passwords are not always encoded as they
 * should be: the last `@` counts, and a database's may hold a slash.
 */
function userinfoEnd(text: string, from: number, sign: number, database: boolean): number {
  if (sign - from > LONGEST_USERINFO) return -1;
  const before = text.slice(from, sign);
  const stop =
    /[\s"'`<>\\]/.test(before) || (/[/?#]/.test(before) && !(database && /^[^/?#]{0,64}:/.test(before)));
  if (stop || before === "") return -1;
  let end = sign;
  for (
    let at = sign + 1;
    at < from + LONGEST_USERINFO && !URL_END.includes(text[at] ?? " ") && !"/?#".includes(text[at] ?? "/");
    at += 1
  ) {
    if (text[at] === "@") end = at;
  }
  return end;
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
  { word: "curl", pattern: /\s(?:-u|-U|--user|--proxy-user)[ =]?["']?[^\s:"']{1,80}:([^\s"']{3,120})/dg },
  { word: "wget", pattern: /--(?:http-|ftp-|proxy-)?password[ =]["']?([^\s"']{3,120})/dg },
  { word: "sshpass", pattern: /\s-p[ ]{0,2}["']?([^\s"']{3,120})/dg },
  { word: "mysql", pattern: /\s-p["']?([^\s"']{3,120})/dg },
  { word: "redis-cli", pattern: /\s-a[ ]{1,2}["']?([^\s"']{3,120})/dg },
];
const LONGEST_COMMAND = 400;

function findCommandCredentials(text: string, spans: Span[]): void {
  for (const { word, pattern } of COMMANDS) {
    let at = text.indexOf(word);
    while (at !== -1) {
      const from = at + word.length;
      const command = isIn(text, at - 1, ALNUM) ? "" : commandAt(text, from);
      for (const { indices } of command.matchAll(pattern)) {
        const [start, end] = indices?.[1] ?? [0, 0];
        if (isInert(command.slice(start, end), true)) continue;
        spans.push({ start: from + start, end: from + end, kind: "password" });
      }
      at = text.indexOf(word, from + command.length);
    }
  }
}

/** The rest of the command: to the end of the line, and on where a backslash continues it. */
function commandAt(text: string, from: number): string {
  const rest = text.slice(from, from + LONGEST_COMMAND);
  return /^(?:[^\n\\]|\\[^]){0,400}/.exec(rest)?.[0] ?? "";
}
