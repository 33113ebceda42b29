/** How much of a request is read; what is beyond is refused with a sentence that names the limit. */
export interface RequestLimits {
  readonly bodyBytes: number;
  /** Objects and lists inside each other. */
  readonly nesting: number;
  /** Objects, lists, texts, numbers and the like, at any depth. */
  readonly jsonValues: number;
  readonly turns: number;
  readonly queryBytes: number;
}

export const DEFAULT_LIMITS: RequestLimits = {
  bodyBytes: 10 * 1024 * 1024,
  nesting: 64,
  jsonValues: 100_000,
  turns: 2_000,
  queryBytes: 32 * 1024,
};
