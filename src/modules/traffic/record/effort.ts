/** What recording may take of the event loop, and of the database. */
export type Effort = {
  /** The share of a core that looking at requests may take. */
  readonly share: number;
  /** Requests of one second that have an entry of their own; beyond, those that are alike share one. */
  readonly alonePerSecond: number;
  /** Entries that one second may have in all; those of one site three quarters of them. */
  readonly entriesPerSecond: number;
};

/** Above this share of its time the event loop has little left for more requests; what is left is theirs. */
const BUSY = 0.6;

/** How often it is measured, in milliseconds. */
const EVERY_MS = 250;

/** Gives recording what serving leaves: a process that is busy records with less effort. */
export class Efforts {
  #measuredAt = performance.now();
  #utilisation = performance.eventLoopUtilization();
  #now: Effort;

  constructor(private readonly efforts: { readonly idle: Effort; readonly busy: Effort }) {
    this.#now = efforts.idle;
  }

  /** What is given at a time of `performance.now()`. */
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
