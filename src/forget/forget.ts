/** The flow of a deletion: embed the intent -> match every stored and queued one -> delete in one transaction -> count. */
import type { Compare } from "../compare/compare.ts";
import { type Intent, intentOf } from "../domain/intent.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { PendingUpload, Queue } from "../ports/queue.ts";
import type { Forgotten, Store } from "../ports/store.ts";
import { matchQueued, matchStored } from "./match.ts";

export interface ForgetParts {
  readonly store: Store;
  readonly queue: Queue;
  readonly embedder: Embedder;
  readonly compare: Compare;
  readonly clock: () => number;
  /** What an upload that is still queued will be stored under; null where it cannot be read. */
  readonly intentOfUpload: (tenantId: string, upload: PendingUpload) => Promise<Intent | null>;
}

export interface ForgetRequest {
  readonly tenantId: string;
  readonly intent: string;
  /** NaN matches nothing; 0 and less match everything. */
  readonly threshold: number;
  /** Only say what would go. */
  readonly dryRun: boolean;
}

export interface Match {
  /** The upload's job, whose id is the episode's too. */
  readonly jobId: string;
  readonly intent: string;
  readonly similarity: number;
}

export interface ForgetResult {
  readonly matches: readonly Match[];
  readonly forgotten: Forgotten;
}

export type Forget = (request: ForgetRequest) => Promise<ForgetResult>;

/** An upload can be learned between the match and the deletion; then it is matched again, so often at most. */
const MOST_ROUNDS = 5;

export function createForget(parts: ForgetParts): Forget {
  const { store, embedder, clock } = parts;
  return async ({ tenantId, intent: text, threshold, dryRun }) => {
    const intent = intentOf(text);
    const [vector] = await embedder.embed([intent.text], { kind: "query" });
    if (vector === undefined) throw new Error("the embedder gave no vector");
    const asked = { tenantId, intent, vector, threshold };
    const matches: Match[] = [];
    let forgotten: Forgotten = { episodes: 0, insights: 0, uploads: 0 };
    for (let round = 0; round < MOST_ROUNDS; round++) {
      // the queue first: an upload that is learned in between is then among the stored ones, and never in neither
      const queued = await matchQueued(parts, asked);
      const stored = await matchStored(parts, asked);
      for (const match of [...stored, ...queued]) matches.push(match);
      if (dryRun || stored.length + queued.length === 0) break;
      const episodeIds = stored.map(({ jobId }) => jobId);
      const jobIds = queued.map(({ jobId }) => jobId);
      const gone = await store.forget(tenantId, { episodeIds, jobIds, at: clock() });
      forgotten = add(forgotten, gone);
      if (gone.uploads === jobIds.length) break;
    }
    return { matches, forgotten };
  };
}

function add(a: Forgotten, b: Forgotten): Forgotten {
  return {
    episodes: a.episodes + b.episodes,
    insights: a.insights + b.insights,
    uploads: a.uploads + b.uploads,
  };
}
