/** The few kinds of errors that cross room borders. Nothing is ever classified by matching a message. */
export abstract class WhetstoneError extends Error {
  /** Whether the same call may succeed later without anyone changing anything. */
  abstract readonly retryable: boolean;
  override get name(): string {
    return this.constructor.name;
  }
}

/** The store cannot serve right now: disk full, file locked, database away. Callers answer 503 and try again. */
export class StoreUnavailable extends WhetstoneError {
  readonly retryable = true;
}

/** The embedding model or endpoint failed. */
export class EmbedderError extends WhetstoneError {
  readonly retryable: boolean;
  constructor(message: string, options: ErrorOptions & { retryable: boolean }) {
    super(message, options);
    this.retryable = options.retryable;
  }
}

/** The set-up is wrong: a setting, a file, a version. The message says what to do; the process exits with 2. */
export class SetupError extends WhetstoneError {
  readonly retryable = false;
}

/** A job that can never succeed, however often it is tried: its payload cannot be read back. */
export class PoisonedJob extends WhetstoneError {
  readonly retryable = false;
}
