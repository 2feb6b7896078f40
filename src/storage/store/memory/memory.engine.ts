import { EventEmitter, once } from 'node:events';
import type { Catalogue } from '../../../events/event-type.js';
import {
  type Appended,
  EventStore,
  emptyStream,
  type Head,
  type NewEvent,
  type RawEvent,
  type Recorded,
} from '../../../kernel/event-store.js';
import { waitEnded } from '../../../kernel/faults/ignored-fault.js';
import type { Digest } from '../../../kernel/hashing/chain.js';
import { type Recording, toRecorded, toStored } from '../stored-event.js';

const PAGE = 500;

type StoredEvent = { readonly event: RawEvent; readonly position: bigint };
/** A stored event, or null if it was dropped. */
type Slot = StoredEvent | null;

/** Stores events in memory only, for tests and experiments. */
export class MemoryEngine extends EventStore {
  /** All events. The index of an event is its position minus 1. */
  readonly #log: Slot[] = [];
  /** The events of each stream. The index of an event is its revision minus 1. */
  readonly #streams = new Map<string, Slot[]>();
  readonly #appends = new EventEmitter().setMaxListeners(0);
  readonly #recording: Recording;

  constructor(catalogue: Catalogue, isChained: (stream: string) => boolean, digest: Digest) {
    super();
    this.#recording = { catalogue, isChained, digest };
  }

  override async read(stream: string, revision = 0) {
    const slots = this.#of(stream);
    return { events: present(slots.slice(revision)).map(this.#recorded), head: headOf(slots) };
  }

  override async page(stream: string, revision: number, limit: number) {
    return present(this.#of(stream).slice(revision)).slice(0, limit).map(this.#recorded);
  }

  override async append(stream: string, head: Head, events: readonly NewEvent[]): Promise<Appended | 'conflict'> {
    const stored = toStored(this.#recording, stream, head, events);
    const slots = this.#of(stream);
    const now = headOf(slots);
    if (now.revision !== head.revision || now.hash !== (stored[0]?.previousHash ?? null)) {
      const existing = slots.slice(head.revision, head.revision + stored.length);
      return stored.every(({ id }, n) => id === existing[n]?.event.id) ? appended(existing) : 'conflict';
    }

    for (const event of stored) {
      const slot = { event, position: BigInt(this.#log.length + 1) };
      this.#log.push(slot);
      slots.push(slot);
    }
    this.#streams.set(stream, slots);
    this.#appends.emit('append');
    return appended(slots);
  }

  override follow = (position: bigint, signal: AbortSignal) => this.#after(() => this.#log, Number(position), signal);

  override async *scan(position: bigint, last: bigint, signal: AbortSignal) {
    for (let next = Number(position); next < Number(last) && !signal.aborted; next += PAGE) {
      const page = present(this.#log.slice(next, Math.min(next + PAGE, Number(last))));
      if (page.length > 0) yield page.map(this.#recorded);
    }
  }

  override watch = (stream: string, revision: number, signal: AbortSignal) =>
    this.#after(() => this.#of(stream), revision, signal);

  override async *raw(stream: string): AsyncIterable<readonly RawEvent[]> {
    const slots = present(this.#of(stream)).map(({ event }) => event);
    for (let next = 0; next < slots.length; next += PAGE) yield slots.slice(next, next + PAGE);
  }

  override async truncate(stream: string, revision: number) {
    if (this.#recording.isChained(stream))
      throw new TypeError(`${stream} has a hash chain, so its events are never dropped.`);
    const slots = this.#of(stream);
    for (const slot of present(slots.slice(0, revision))) this.#log[Number(slot.position) - 1] = null;
    slots.fill(null, 0, revision);
  }

  override lastPosition = async () => BigInt(this.#log.length);

  async *#after(events: () => readonly Slot[], next: number, signal: AbortSignal) {
    while (!signal.aborted) {
      const newer = events().slice(next, next + PAGE);
      next += newer.length;
      if (present(newer).length > 0) yield present(newer).map(this.#recorded);
      else if (newer.length === 0) await once(this.#appends, 'append', { signal }).catch(waitEnded);
    }
  }

  #of = (stream: string) => this.#streams.get(stream) ?? [];

  #recorded = ({ event, position }: StoredEvent): Recorded => toRecorded(this.#recording.catalogue, event, position);
}

const present = (slots: readonly Slot[]) => slots.filter((slot) => slot !== null);

function headOf(slots: readonly Slot[]): Head {
  const last = slots.at(-1);
  return last ? { revision: last.event.revision, hash: last.event.hash } : emptyStream;
}

const appended = (slots: readonly Slot[]): Appended => ({
  head: headOf(slots),
  position: slots.at(-1)?.position ?? 0n,
});
