import { computeRestartDelay } from './crash-reason.js';

/** If a server crashes after running for this long, the crash counts as the first of a new series. */
const STEADY_MS = 60_000;
/** Visitors wait for a crashed server's restart if it is due within this time. Otherwise they are refused. */
const SHORT_PAUSE_MS = 3_000;
/** After more than this many consecutive crashes, the server is restarted only when a visitor requests it. */
const MAX_RESTARTS = 8;

/** Counts the consecutive crashes of a server, and decides when it can be started again. */
export class Restarts {
  #inARow = 0;
  #nextStartAt = 0;

  /** Must be called when the server has exited without having been stopped. `ms` is how long it ran. */
  ranFor(ms: number): void {
    if (ms >= STEADY_MS) this.#inARow = 0;
  }

  crashed(): void {
    this.#inARow += 1;
    this.#nextStartAt = performance.now() + computeRestartDelay(this.#inARow);
  }

  /** Time until the server can be started, in milliseconds. Zero or negative if it can be started now. */
  get pause(): number {
    return this.#nextStartAt - performance.now();
  }

  /** Whether visitors are refused instead of waiting for the server's restart. */
  get isLeftAlone(): boolean {
    return this.pause > SHORT_PAUSE_MS;
  }

  get isFirst(): boolean {
    return this.#inARow === 1;
  }

  /** Whether the server is no longer restarted automatically. */
  get isGivenUp(): boolean {
    return this.#inARow > MAX_RESTARTS;
  }
}
