/** Limits how much recording requests uses the event loop and the database. */
export type Effort = {
  /** Share of a CPU core available for processing requests. */
  readonly share: number;
  /** Number of requests per second that get their own entries. Further similar requests share an entry. */
  readonly alonePerSecond: number;
  /** Maximum number of entries per second. One site gets at most three quarters of them. */
  readonly entriesPerSecond: number;
};

/** Utilization of the event loop above which the remaining capacity is reserved for responses. */
const BUSY = 0.6;

const EVERY_MS = 250;

/** Adapts recording to the load: a busy process records with less effort. */
export class EffortControl {
  #measuredAt = performance.now();
  #utilisation = performance.eventLoopUtilization();
  #now: Effort;

  constructor(private readonly efforts: { readonly idle: Effort; readonly busy: Effort }) {
    this.#now = efforts.idle;
  }

  /** Returns the limits for recording that apply at a time of `performance.now()`. */
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
