import type { KurrentConnection } from './kurrent.connection.js';
import { isOurs, positionOf } from './kurrent.envelope.js';

/** How many events at the end of the log are looked at first: mostly one of them is ours. */
const FEW_EVENTS = 16;

/** Where the log ends for us: the server’s own events stand among ours, also at the end. */
export class LogEnd {
  /** How far the log has been looked at from its end, and the last of our events found there. */
  #end = { seen: 0n, last: 0n };

  constructor(private readonly connection: KurrentConnection) {}

  /** Position of the last of our events, 0 for none. Reads from the end backwards, and looks at each event once. */
  position = async (): Promise<bigint> => (await this.#lookBack(FEW_EVENTS)) ?? (await this.#lookBack()) ?? 0n;

  /** Undefined when none of the last `limit` events is ours or was looked at before. */
  async #lookBack(limit?: number): Promise<bigint | undefined> {
    let before = this.#end;
    let newest: bigint | undefined;
    for await (const received of this.connection.readAll('end', limit)) {
      for (const event of received) {
        const position = positionOf(event);
        newest ??= position;
        // It has ended later before: it was cut off, and what was seen of it says nothing any more.
        if (newest < before.seen) before = this.#end = { seen: 0n, last: 0n };
        if (position > before.seen && !isOurs(event)) continue;
        const last = position > before.seen ? position : before.last;
        if (newest > this.#end.seen) this.#end = { seen: newest, last };
        return last;
      }
    }
    if (limit === undefined && newest !== undefined && newest > this.#end.seen) this.#end = { seen: newest, last: 0n };
    return undefined;
  }
}
