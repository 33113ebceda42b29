/** Opens the store for one command, and closes it whatever happens. */
import { SetupError } from "../domain/errors.ts";
import { type Base, openBase, openService, type Service } from "../service.ts";
import type { Io } from "./command.ts";

export async function withService<T>(io: Io, use: (service: Service) => Promise<T>): Promise<T> {
  return closing(await openService(io.config(), { serving: false, warn: io.err }), use);
}

/** Without the embedder: a leaked key can be revoked whatever is wrong with the model. */
export async function withBase<T>(io: Io, use: (base: Base) => Promise<T>): Promise<T> {
  return closing(await openBase(io.config(), { serving: false, warn: io.err }), use);
}

async function closing<S extends Base, T>(opened: S, use: (opened: S) => Promise<T>): Promise<T> {
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

export async function knownTenant({ keys }: Base, tenantId: string): Promise<string> {
  if ((await keys.findTenant(tenantId)) !== null) return tenantId;
  throw new SetupError(`there is no tenant ${tenantId}; "whetstone tenants list" shows them`);
}
