import { heardElsewhere } from '../faults/ignored-fault.js';

const KNOWN_WITHIN_MS = 2_000;

/** Lowers positions sent by callers to the end of the log if they are higher, because callers can invent positions. */
export class GivenPositions {
  #end = 0n;
  #reading: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(private readonly lastPosition: () => Promise<bigint>) {}

  /**
   * Returns `position`, or the position of the last event if that is lower. Returns 0 if the log cannot be read
   * within two seconds. Concurrent callers share one read, which begins after all of their calls.
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
