/** JSON lines on stdout. Keys, bodies and query strings are never handed to it; test/api/edges.test.ts watches that. */
import { pino, type DestinationStream, type Logger } from "pino";

export type { Logger } from "pino";

export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  // lines are written together, off the path of a request; what is left is flushed when the process ends
  return pino(
    options,
    destination ?? pino.destination({ sync: false, minLength: 4_096, periodicFlush: 100 }),
  );
}
