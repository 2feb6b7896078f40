import type { ProbeResult } from './probe-results.js';

/** A day’s of eight parts, one each minute. */
const MOST = 8 * 1_440;

/** What was found while nothing could be recorded; of more than a day the oldest is lost. */
export class UnrecordedResults {
  #results: readonly ProbeResult[] = [];

  add(results: readonly ProbeResult[]): void {
    this.#results = [...this.#results, ...results].slice(-MOST);
  }

  list(): readonly ProbeResult[] {
    return this.#results;
  }

  /** These were recorded. */
  drop(recorded: readonly ProbeResult[]): void {
    const gone = new Set(recorded);
    this.#results = this.#results.filter((each) => !gone.has(each));
  }
}
