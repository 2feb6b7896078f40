/** Limits on how much recording requests may use the event loop and the database. */
export type Effort = {
  /** Fraction of a CPU core available for recording requests. */
  readonly share: number;
  /** Number of requests per second that get their own entries. Further similar requests share an entry. */
  readonly alonePerSecond: number;
  /** Maximum number of entries per second. One site gets at most three quarters of them. */
  readonly entriesPerSecond: number;
};

/**
 * Utilization of the event loop above which the process counts as busy. The remaining capacity is then reserved for
 * responses.
 */
const BUSY = 0.6;

const EVERY_MS = 250;

/** Adapts the limits for recording to the load: a busy process spends less effort on recording. */
export class EffortControl {
  #measuredAt = performance.now();
  #utilisation = performance.eventLoopUtilization();
  #now: Effort;

  constructor(private readonly efforts: { readonly idle: Effort; readonly busy: Effort }) {
    this.#now = efforts.idle;
  }

  /** Returns the current limits for recording. `now` is the value of `performance.now()`. */
  at(now: number): Effort {
    if (now - this.#measuredAt < EVERY_MS) return this.#now;
    const utilisation = performance.eventLoopUtilization();
    const { utilization: share } = performance.eventLoopUtilization(utilisation, this.#utilisation);
    this.#measuredAt = now;
    this.#utilisation = utilisation;
    this.#now = share > BUSY ? this.efforts.busy : this.efforts.idle;
    return this.#now;
  }
}
