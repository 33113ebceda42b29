/**
 * Tells workers in other processes that there is work. Only a help: what is missed here is found by the next poll, so
 * nothing waits for it and no error of it reaches anyone.
 *
 * The word is passed on outside of the transaction that brings the job, and once for all that came meanwhile:
 * transactions that notify commit one after the other, which would end the sharing of disk flushes.
 */
import type { Client } from "pg";
import { type Database, restAfter, sql } from "./driver.ts";

const CHANNEL = "whetstone_job";

export class Wake {
  readonly #db: Database;
  readonly #callbacks = new Set<() => void>();
  #telling = false;
  #more = false;
  #listener: Promise<void> | null = null;
  #client: Client | null = null;
  #closed = false;
  #stopResting: () => void = () => {};

  constructor(db: Database) {
    this.#db = db;
  }

  /** Calls back when any process has brought work; answers how to stop that. */
  onWake(callback: () => void): () => void {
    this.#callbacks.add(callback);
    this.#listener ??= this.#listen();
    return () => void this.#callbacks.delete(callback);
  }

  tell(): void {
    this.#more = true;
    if (!this.#telling) void this.#tellAll();
  }

  async #tellAll(): Promise<void> {
    this.#telling = true;
    while (this.#more && !this.#closed) {
      this.#more = false;
      await this.#db.across
        .batch([sql("SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, '')", CHANNEL)])
        .catch(() => {});
    }
    this.#telling = false;
  }

  /** Listens, and begins again with growing pauses when the connection is lost. */
  async #listen(): Promise<void> {
    for (let failures = 0; !this.#closed; failures += 1) {
      await this.#listenOnce(() => (failures = 0)).catch(() => {});
      if (this.#closed) return;
      await new Promise<void>((resolve) => {
        this.#stopResting = resolve;
        setTimeout(resolve, restAfter(failures)).unref();
      });
    }
  }

  async #listenOnce(onStart: () => void): Promise<void> {
    const client = await this.#db.connectAlone();
    this.#client = client;
    const ended = new Promise<void>((resolve) => void client.once("end", resolve));
    if (this.#closed) return client.end();
    client.on("notification", () => this.#callAll());
    await client.query(`LISTEN ${CHANNEL}`);
    onStart();
    // what was told while nobody listened
    this.#callAll();
    await ended;
  }

  #callAll(): void {
    for (const callback of this.#callbacks) callback();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stopResting();
    await this.#client?.end().catch(() => {});
    await this.#listener;
  }
}
