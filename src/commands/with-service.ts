/** Opens the store for one command, and closes it whatever happens. */
import { SetupError } from "../domain/errors.ts";
import { openService, type Service } from "../service.ts";
import type { Io } from "./command.ts";

export async function withService<T>(io: Io, use: (service: Service) => Promise<T>): Promise<T> {
  const service = await openService(io.config(), { serving: false });
  try {
    return await use(service);
  } finally {
    await service.close();
  }
}

export async function knownTenant(service: Service, tenantId: string): Promise<string> {
  if ((await service.keys.findTenant(tenantId)) !== null) return tenantId;
  throw new SetupError(`there is no tenant ${tenantId}; "whetstone tenants list" shows them`);
}
