import type { KurrentConnection } from './kurrent.connection.js';
import { isOurs, readPosition } from './kurrent.envelope.js';

/** Number of events that are checked first. Usually at least one of these events is ours. */
const FEW_EVENTS = 16;

/** Finds our last event. The server’s own events are mixed with ours, even at the end of the log. */
export class LogEnd {
  /** The log was checked up to the position `seen`. Our last event in that part has the position `last`. */
  #end = { seen: 0n, last: 0n };

  constructor(private readonly connection: KurrentConnection) {}

  /**
   * Returns the position of our last event, or 0 if there is none. Reads backwards, and checks each event only once.
   */
  position = async (): Promise<bigint> => (await this.#lookBack(FEW_EVENTS)) ?? (await this.#lookBack()) ?? 0n;

  /** Checks the last `limit` events. Returns undefined if none of them is ours or was checked before. */
  async #lookBack(limit?: number): Promise<bigint | undefined> {
    let before = this.#end;
    let newest: bigint | undefined;
    for await (const received of this.connection.readAll('end', limit)) {
      for (const event of received) {
        const position = readPosition(event);
        newest ??= position;
        // The log is shorter than at the previous check, so a part of it was cut off. Earlier results are no longer
        // valid.
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
