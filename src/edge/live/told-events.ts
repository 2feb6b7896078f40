import type { EventStore, Recorded } from '../../kernel/event-store.js';
import type { LiveSource } from './live-source.js';

/**
 * The event store as clients watch it. Before they are told of events, `told` is given the position of the last: a
 * client that hears of something from a stream and asks for it is to find it (docs/interface/conventions.md, "Read your
 * writes"), though another process wrote it.
 */
export class ToldEvents implements LiveSource<Recorded> {
  constructor(
    private readonly store: EventStore,
    private readonly told: (position: bigint) => void,
  ) {}

  read = (stream: string, after: number) => this.store.read(stream, after);

  async page(stream: string, after: number, limit: number): Promise<readonly Recorded[]> {
    return this.#tell(await this.store.page(stream, after, limit));
  }

  async *watch(stream: string, after: number, signal: AbortSignal): AsyncIterable<readonly Recorded[]> {
    for await (const events of this.store.watch(stream, after, signal)) yield this.#tell(events);
  }

  #tell(events: readonly Recorded[]) {
    const last = events.at(-1);
    if (last) this.told(last.position);
    return events;
  }
}
