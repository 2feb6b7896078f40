import type { ProbeResult } from './probe-results.js';

/** A day of results for eight components, one per minute. */
const MOST = 8 * 1_440;

/** Results that could not be recorded yet. Beyond a day, the oldest are dropped. */
export class UnrecordedResults {
  #results: readonly ProbeResult[] = [];

  add(results: readonly ProbeResult[]): void {
    this.#results = [...this.#results, ...results].slice(-MOST);
  }

  list(): readonly ProbeResult[] {
    return this.#results;
  }

  /** Removes recorded results. */
  drop(recorded: readonly ProbeResult[]): void {
    const gone = new Set(recorded);
    this.#results = this.#results.filter((each) => !gone.has(each));
  }
}
