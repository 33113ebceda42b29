/** Milliseconds by step, for the answer's metadata. */
export class Stopwatch {
  readonly laps: Record<string, number> = {};
  #last = performance.now();

  lap(name: string): void {
    const now = performance.now();
    this.laps[`${name}_ms`] = Math.round((now - this.#last) * 1_000) / 1_000;
    this.#last = now;
  }
}
