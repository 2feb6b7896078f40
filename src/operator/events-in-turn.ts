import type { PositionedEvent } from '../storage/store/whole-log.js';

/** Reads a log one event at a time, up to and including a position. */
export class Events {
  readonly #lists: AsyncIterator<readonly PositionedEvent[]>;
  #list: readonly PositionedEvent[] = [];
  #next = 0;

  constructor(
    lists: AsyncIterable<readonly PositionedEvent[]>,
    private readonly last?: bigint,
  ) {
    this.#lists = lists[Symbol.asyncIterator]();
  }

  /** Returns undefined at the end. */
  async next(): Promise<PositionedEvent | undefined> {
    while (this.#next === this.#list.length) {
      const { done, value } = await this.#lists.next();
      if (done) return undefined;
      this.#list = value;
      this.#next = 0;
    }
    const event = this.#list[this.#next];
    if (!event || (this.last !== undefined && event.position > this.last)) return undefined;
    this.#next++;
    return event;
  }
}
