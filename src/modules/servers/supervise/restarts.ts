import { pauseAfter } from './crash-reason.js';

/** Running for so long, a crash is the first in a row. Milliseconds. */
const STEADY_MS = 60_000;
/** A visitor waits for the end of a pause up to so long. Milliseconds. */
const SHORT_PAUSE_MS = 3_000;
/** So many crashes in a row, and it is started again only when a visitor asks for it. */
const MOST_RESTARTS = 8;

/** How often in a row a program has crashed, and so when it may be started again. */
export class Restarts {
  #inARow = 0;
  #nextStartAt = 0;

  /** It was running for so long, and has ended by itself. */
  ranFor(ms: number): void {
    if (ms >= STEADY_MS) this.#inARow = 0;
  }

  crashed(): void {
    this.#inARow += 1;
    this.#nextStartAt = performance.now() + pauseAfter(this.#inARow);
  }

  /** Until it may be started: milliseconds, none or less where it may. */
  get pause(): number {
    return this.#nextStartAt - performance.now();
  }

  /** Whether a visitor who asks for it now is not kept waiting for its start. */
  get isLeftAlone(): boolean {
    return this.pause > SHORT_PAUSE_MS;
  }

  get isFirst(): boolean {
    return this.#inARow === 1;
  }

  /** Whether it is started again by itself. */
  get isGivenUp(): boolean {
    return this.#inARow > MOST_RESTARTS;
  }
}
