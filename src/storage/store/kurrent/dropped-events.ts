import esdb from '@eventstore/db-client';
import type { KurrentConnection } from './kurrent.connection.js';
import type { ReceivedEvent } from './kurrent.envelope.js';

/** Stream that records which streams had their first events dropped, and up to which event. */
export const DROPPED_STREAM = 'stele-dropped';
const DROPPED = 'Dropped';

/**
 * Filters dropped events out of the whole log, based on `DROPPED_STREAM`. The server hides dropped events from
 * readers of their stream, but returns them to readers of the whole log until it is scavenged.
 */
export class DroppedEvents {
  readonly #upTo = new Map<string, number>();
  #readUpTo = 0;

  constructor(private readonly connection: KurrentConnection) {}

  /** Records that the events up to `revision` (counted from 1) are dropped, and then drops them. */
  async drop(stream: string, revision: number): Promise<void> {
    const data = Buffer.from(JSON.stringify({ stream, revision }));
    await this.connection.append(DROPPED_STREAM, 'any', [esdb.binaryEvent({ type: DROPPED, data })]);
    await this.connection.truncateBefore(stream, revision);
  }

  /** Reads the records that were added to `DROPPED_STREAM` since the last call. */
  async refresh(): Promise<void> {
    for await (const received of this.connection.readStream(
      DROPPED_STREAM,
      this.#readUpTo + 1,
      Number.MAX_SAFE_INTEGER,
    )) {
      for (const { event } of received) {
        if (!event) continue;
        this.#readUpTo = Number(event.revision) + 1;
        if (!(event.data instanceof Uint8Array)) continue;
        const { stream, revision }: { stream: string; revision: number } = JSON.parse(
          Buffer.from(event.data).toString(),
        );
        this.#upTo.set(stream, Math.max(revision, this.#upTo.get(stream) ?? 0));
      }
    }
  }

  has({ event }: ReceivedEvent): boolean {
    return event !== undefined && event.revision < (this.#upTo.get(event.streamId) ?? 0);
  }
}
