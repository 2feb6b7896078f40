import type { RawEvent } from '../../kernel/event-store.js';
import { patiently } from '../../postgres/database-away.js';
import type { Recording } from '../stored-event.js';
import type { Placed } from '../whole-log.js';
import { type KurrentConnection, mayPass } from './kurrent.connection.js';
import { type Arrived, toPlaced, toRaw } from './kurrent.envelope.js';

/** Fewer, as whoever proves a chain goes slowly and holds a page for as long as its client takes. */
const RAW_PAGE = 200;

/** Reads one stream as the server has it. */
export class KurrentStreams {
  constructor(
    private readonly connection: KurrentConnection,
    private readonly isChained: Recording['isChained'],
  ) {}

  /** At most so many events of a stream from one on, or from where it begins since some were dropped. Throws when there is a gap: a decision must not be taken on it. */
  async slice(stream: string, from: number, most: number): Promise<Placed[]> {
    const events = (await gathered(this.connection.stream(stream, from, most))).map(toPlaced);
    const begins = this.isChained(stream) ? from : (events[0]?.revision ?? from);
    const gap = events.find(({ revision }, n) => revision !== begins + n);
    if (gap)
      throw new RangeError(`${stream} lacks events before ${gap.revision}: it was cut short in the event store.`);
    return events;
  }

  async lastOf(stream: string): Promise<RawEvent | undefined> {
    return (await gathered(this.connection.stream(stream, 'end', 1))).map(toRaw)[0];
  }

  async *raw(stream: string): AsyncIterable<readonly RawEvent[]> {
    const last = (await patiently(() => this.lastOf(stream), mayPass))?.revision ?? 0;
    for (let after = 0; after < last; ) {
      const page = await patiently(
        () => gathered(this.connection.stream(stream, after + 1, Math.min(RAW_PAGE, last - after))),
        mayPass,
      );
      const events = page.map(toRaw);
      if (events.length > 0) yield events;
      after = events.at(-1)?.revision ?? last;
    }
  }
}

const gathered = async (lists: AsyncIterable<readonly Arrived[]>): Promise<Arrived[]> =>
  (await Array.fromAsync(lists)).flat();
