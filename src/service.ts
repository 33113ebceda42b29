/** The composition root: settings -> adapters -> flows. The only file that knows every adapter. */
import type { MessagePort } from "node:worker_threads";
import { type Accepted, createAccept, type Upload } from "./accept/accept.ts";
import { type Advise, createAdvise } from "./advise/advise.ts";
import { type Compare, createCompare } from "./compare/compare.ts";
import type { Config } from "./config.ts";
import { SetupError } from "./domain/errors.ts";
import { Vault } from "./domain/vault.ts";
import { openEmbedder } from "./embedders/open.ts";
import { shareEmbedder } from "./embedders/shared.ts";
import { createForget, type Forget } from "./forget/forget.ts";
import { createLearn, type Learn } from "./learn/learn.ts";
import { redactText } from "./learn/redact-text.ts";
import { createUploadedIntent } from "./learn/uploaded-intent.ts";
import type { Embedder } from "./ports/embedder.ts";
import type { Keys } from "./ports/keys.ts";
import type { Ledger } from "./ports/ledger.ts";
import type { Queue } from "./ports/queue.ts";
import type { Store } from "./ports/store.ts";
import { type Act, createAct } from "./prove/act.ts";
import { createUplift, type MeasureUplift } from "./prove/uplift.ts";
import { createWorth } from "./prove/worth.ts";
import { secretOf } from "./secret.ts";
import { openPostgres } from "./stores/postgres/postgres.ts";
import { openSqlite } from "./stores/sqlite/sqlite.ts";

/** The stores alone: enough for keys, tenants and jobs, whatever is wrong with the rest. */
export interface Base {
  readonly config: Config;
  readonly store: Store;
  readonly queue: Queue;
  readonly keys: Keys;
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly clock: () => number;
  /** Calls back when another process has brought work; where there is none, never. */
  readonly onWake: (callback: () => void) => void;
  /** What the store wants done now and then. */
  readonly maintain: () => Promise<unknown>;
  close(): Promise<void>;
}

export interface Service extends Base {
  readonly embedder: Embedder;
  readonly compare: Compare;
  readonly accept: (upload: Upload) => Promise<Accepted>;
  readonly learn: Learn;
  readonly advise: Advise;
  readonly forget: Forget;
  readonly measureUplift: MeasureUplift;
  readonly act: Act;
  readonly redactText: typeof redactText;
  /** Lets another thread of this process ask this embedder through a port. */
  readonly shareEmbedder: (port: MessagePort) => void;
}

export interface ServiceOptions {
  /** A server: its event loop must not wait for the disk. */
  readonly serving: boolean;
  readonly clock?: () => number;
  /** One that is open already, as for a second thread; absent: the one that the settings name. */
  readonly embedder?: Embedder;
  /** Told what is not as it should be, and goes on all the same. */
  readonly warn?: (sentence: string) => void;
  /** Called after each accepted upload. */
  readonly wake?: () => void;
}

async function openStores(
  config: Config,
  serving: boolean,
  warn: (sentence: string) => void,
): Promise<Pick<Base, "store" | "queue" | "keys" | "ledger" | "onWake" | "maintain">> {
  if (config.databaseUrl === null) {
    const indexBytes = config.indexMemory * 1024 * 1024;
    const sqlite = openSqlite({ directory: config.dataDir, threaded: serving, indexBytes });
    return { ...sqlite, onWake: () => {}, maintain: async () => {} };
  }
  const postgres = await openPostgres({ url: config.databaseUrl, poolSize: config.databasePool });
  if (!postgres.server.walled) {
    warn(
      "the database role bypasses row-level security: the second wall between tenants is down; give it an ordinary role",
    );
  }
  return postgres;
}

export async function openBase(config: Config, options: ServiceOptions): Promise<Base> {
  const { serving, clock = Date.now, warn = () => {} } = options;
  const vault = new Vault(secretOf(config));
  const stores = await openStores(config, serving, warn);
  const base = { config, ...stores, vault, clock, close: () => stores.store.close() };
  if (await stores.keys.claimSecret(vault.fingerprint())) return base;
  await base.close();
  throw new SetupError(
    "the database was made with another secret: start with the WHETSTONE_SECRET it was made with",
  );
}

export async function openService(config: Config, options: ServiceOptions): Promise<Service> {
  const base = await openBase(config, options);
  try {
    return await serviceOver(base, options);
  } catch (error) {
    // an open store would keep the process alive that has nothing more to do
    await base.close();
    throw error;
  }
}

async function serviceOver(base: Base, options: ServiceOptions): Promise<Service> {
  const { config, vault } = base;
  const { wake = () => {}, warn = () => {} } = options;
  const embedder = options.embedder ?? (await openEmbedder(config, warn));
  const compare = createCompare({ store: base.store, embedder });
  const hashRequest = (intentId: string) => vault.hashForReplay(intentId);
  const parts = { ...base, embedder, compare, hashRequest };
  const { holdout, leaveOut } = config;
  const proof = { worthOf: createWorth(parts), recording: config.exposureDays > 0, holdout, leaveOut };
  return {
    ...parts,
    accept: createAccept({ ...parts, wake }),
    learn: createLearn(parts),
    advise: createAdvise({ ...parts, ...proof }),
    forget: createForget({ ...parts, intentOfUpload: createUploadedIntent(parts) }),
    measureUplift: createUplift(parts),
    act: createAct(parts),
    redactText,
    shareEmbedder: (port) => shareEmbedder(embedder, port),
    async close() {
      await embedder.close();
      await base.close();
    },
  };
}
