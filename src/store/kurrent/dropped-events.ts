import esdb from '@eventstore/db-client';
import type { KurrentConnection } from './kurrent.connection.js';
import type { ReceivedEvent } from './kurrent.envelope.js';

/** A stream beside ours, in which is told what was dropped from which. */
export const DROPPED_STREAM = 'stele-dropped';
const DROPPED = 'Dropped';

/**
 * The server hides what was dropped from readers of its stream, and shows it to readers of the whole log until it is
 * scavenged: from them it is hidden by what is told here.
 */
export class DroppedEvents {
  readonly #upTo = new Map<string, number>();
  #readUpTo = 0;

  constructor(private readonly connection: KurrentConnection) {}

  /** Tells that the stream’s events up to this one, counted from 1, are dropped, and drops them. */
  async drop(stream: string, revision: number): Promise<void> {
    const data = Buffer.from(JSON.stringify({ stream, revision }));
    await this.connection.append(DROPPED_STREAM, 'any', [esdb.binaryEvent({ type: DROPPED, data })]);
    await this.connection.truncateBefore(stream, revision);
  }

  /** Learns what was told since. */
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
