import type { RawEvent } from '../../../kernel/event-store.js';
import { withRetry } from '../../postgres/retry.js';
import type { Recording } from '../stored-event.js';
import type { PositionedEvent } from '../whole-log.js';
import { isTransient, type KurrentConnection } from './kurrent.connection.js';
import { type ReceivedEvent, toPositioned, toRaw } from './kurrent.envelope.js';

/** Number of events per page. A page stays in memory until a slow client has received it. */
const RAW_PAGE = 200;

export class KurrentStreams {
  constructor(
    private readonly connection: KurrentConnection,
    private readonly isChained: Recording['isChained'],
  ) {}

  /**
   * Returns up to `limit` events from number `from`, or from the first event that was not dropped. Throws if events are
   * missing after that, because decisions must not depend on an incomplete stream.
   */
  async slice(stream: string, from: number, limit: number): Promise<PositionedEvent[]> {
    const events = (await collected(this.connection.readStream(stream, from, limit))).map(toPositioned);
    const firstRevision = this.isChained(stream) ? from : (events[0]?.revision ?? from);
    const gap = events.find(({ revision }, n) => revision !== firstRevision + n);
    if (gap)
      throw new RangeError(
        `${stream} has a gap before event ${gap.revision}: events are missing from the event store.`,
      );
    return events;
  }

  async last(stream: string): Promise<RawEvent | undefined> {
    return (await collected(this.connection.readStream(stream, 'end', 1))).map(toRaw)[0];
  }

  async *raw(stream: string): AsyncIterable<readonly RawEvent[]> {
    const last = (await withRetry(() => this.last(stream), isTransient))?.revision ?? 0;
    for (let after = 0; after < last; ) {
      const page = await withRetry(
        () => collected(this.connection.readStream(stream, after + 1, Math.min(RAW_PAGE, last - after))),
        isTransient,
      );
      const events = page.map(toRaw);
      if (events.length > 0) yield events;
      after = events.at(-1)?.revision ?? last;
    }
  }
}

const collected = async (lists: AsyncIterable<readonly ReceivedEvent[]>): Promise<ReceivedEvent[]> =>
  (await Array.fromAsync(lists)).flat();
