import type { EventStore, Recorded } from '../../kernel/event-store.js';
import type { LiveSource } from './live-source.js';

/**
 * Passes the position of the last event to `told` before clients receive the events. A client that then requests the
 * resource sees the change, even if another process wrote it (docs/interface/conventions.md, "Read your writes").
 */
export class PositionAnnouncingSource implements LiveSource<Recorded> {
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
