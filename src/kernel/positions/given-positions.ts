import { heardElsewhere } from '../faults/ignored-fault.js';

/** How long the end of the log is asked for, in milliseconds. */
const KNOWN_WITHIN_MS = 2_000;

/** Tells positions that were given out from those that a caller made up: none lies beyond the end of the log. */
export class GivenPositions {
  #end = 0n;
  #reading: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(private readonly lastPosition: () => Promise<bigint>) {}

  /**
   * The position, or that of the last event if it lies beyond; 0 where that cannot be said within two seconds. Callers
   * that ask at once share one reading of the log, which begins after each of them has asked.
   */
  async upToEnd(position: bigint): Promise<bigint> {
    if (position <= this.#end) return position;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, KNOWN_WITHIN_MS);
    const read = this.#readAfterNow().then(
      () => true,
      () => false,
    );
    const isKnown = await Promise.race([read, late.promise]);
    clearTimeout(timer);
    if (!isKnown) return 0n;
    return position < this.#end ? position : this.#end;
  }

  #readAfterNow(): Promise<void> {
    this.#next ??= (this.#reading ?? Promise.resolve()).catch(heardElsewhere).then(() => {
      this.#reading = this.#next;
      this.#next = null;
      return this.#read();
    });
    return this.#next;
  }

  async #read() {
    const end = await this.lastPosition();
    if (end > this.#end) this.#end = end;
  }
}
