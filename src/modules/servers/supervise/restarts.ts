import { computeRestartDelay } from './crash-reason.js';

/** A crash after this much time counts as the first in a row. */
const STEADY_MS = 60_000;
/** A visitor waits for the end of a pause that is not longer than this. */
const SHORT_PAUSE_MS = 3_000;
/** After more crashes in a row than this, the server is only started when a visitor requests it. */
const MAX_RESTARTS = 8;

/** Counts the crashes of a server in a row, and decides when it may be started again. */
export class Restarts {
  #inARow = 0;
  #nextStartAt = 0;

  /** Records how long the server ran before it ended by itself. */
  ranFor(ms: number): void {
    if (ms >= STEADY_MS) this.#inARow = 0;
  }

  crashed(): void {
    this.#inARow += 1;
    this.#nextStartAt = performance.now() + computeRestartDelay(this.#inARow);
  }

  /** Time until the server may be started, in milliseconds. Zero or negative if it may start now. */
  get pause(): number {
    return this.#nextStartAt - performance.now();
  }

  /** Whether a visitor is refused instead of waiting for the start. */
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
