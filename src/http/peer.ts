/** Who is calling, when proxies may stand in between. */
import { isIPv4, isIPv6 } from "node:net";

export function isLoopback(address: string): boolean {
  const plain = withoutMapping(address);
  return plain === "::1" || (plain.startsWith("127.") && isIPv4(plain));
}

/** The last address in X-Forwarded-For that is no trusted proxy's; the peer itself where none is trusted. */
export function callerAddress(
  peer: string,
  forwarded: string | string[] | undefined,
  trustedProxies: readonly string[],
): string {
  const trusted = new Set(trustedProxies);
  const direct = withoutMapping(peer);
  if (forwarded === undefined || !trusted.has(direct)) return direct;
  const chain = [forwarded].flat().join(",").split(",");
  for (const hop of chain.toReversed()) {
    const address = withoutMapping(hop.trim());
    if (!trusted.has(address)) return isIPv4(address) || isIPv6(address) ? address : direct;
  }
  return direct;
}

/** `::ffff:10.0.0.1` is `10.0.0.1`. */
function withoutMapping(address: string): string {
  return address.startsWith("::ffff:") && isIPv4(address.slice(7)) ? address.slice(7) : address;
}
