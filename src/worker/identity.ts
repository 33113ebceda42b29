/** A worker's name tells whether its process can still be alive, so that a restart need not wait for leases to run out. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";

export function newIdentity(): string {
  return `${hostname()}/${process.pid}/${randomBytes(6).toString("hex")}`;
}

/**
 * Certain only for processes of this machine; for others the lease decides. A process with our own number and
 * another name is an earlier life of ours: containers give every start the same number.
 */
export function isGone(worker: string, self: string): boolean {
  const [host, pid] = worker.split("/");
  const [ownHost, ownPid] = self.split("/");
  if (host !== ownHost || worker === self) return false;
  if (pid === ownPid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
