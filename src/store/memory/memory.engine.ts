import { EventEmitter, once } from 'node:events';
import type { Catalogue } from '../../events/event-type.js';
import type { Digest } from '../../kernel/chain.js';
import {
  type Appended,
  EventStore,
  emptyStream,
  type Head,
  type NewEvent,
  type RawEvent,
  type Recorded,
} from '../../kernel/event-store.js';
import { waitEnded } from '../../kernel/ignored-fault.js';
import { type Recording, toRecorded, toStored } from '../stored-event.js';

const PAGE = 500;

type StoredEvent = { readonly event: RawEvent; readonly position: bigint };
/** Null where an event was dropped. */
type Slot = StoredEvent | null;

/** Keeps events in this process and no longer than it: for tests, and for trying things out. */
export class MemoryEngine extends EventStore {
  /** An event's position is its place here, counted from 1. */
  readonly #log: Slot[] = [];
  /** An event's revision is its place here, counted from 1. */
  readonly #streams = new Map<string, Slot[]>();
  readonly #doorbell = new EventEmitter().setMaxListeners(0);
  readonly #recording: Recording;

  constructor(catalogue: Catalogue, isChained: (stream: string) => boolean, digest: Digest) {
    super();
    this.#recording = { catalogue, isChained, digest };
  }

  override async read(stream: string, revision = 0) {
    const kept = this.#of(stream);
    return { events: present(kept.slice(revision)).map(this.#recorded), head: headOf(kept) };
  }

  override async page(stream: string, revision: number, limit: number) {
    return present(this.#of(stream).slice(revision)).slice(0, limit).map(this.#recorded);
  }

  override async append(stream: string, head: Head, events: readonly NewEvent[]): Promise<Appended | 'conflict'> {
    const stored = toStored(this.#recording, stream, head, events);
    const kept = this.#of(stream);
    const now = headOf(kept);
    if (now.revision !== head.revision || now.hash !== (stored[0]?.previousHash ?? null)) {
      const standing = kept.slice(head.revision, head.revision + stored.length);
      return stored.every(({ id }, n) => id === standing[n]?.event.id) ? appended(standing) : 'conflict';
    }

    for (const event of stored) {
      const place = { event, position: BigInt(this.#log.length + 1) };
      this.#log.push(place);
      kept.push(place);
    }
    this.#streams.set(stream, kept);
    this.#doorbell.emit('ring');
    return appended(kept);
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
    const kept = present(this.#of(stream)).map(({ event }) => event);
    for (let next = 0; next < kept.length; next += PAGE) yield kept.slice(next, next + PAGE);
  }

  override async truncate(stream: string, revision: number) {
    if (this.#recording.isChained(stream)) throw new TypeError(`${stream} is chained: nothing of it is ever dropped.`);
    const kept = this.#of(stream);
    for (const place of present(kept.slice(0, revision))) this.#log[Number(place.position) - 1] = null;
    kept.fill(null, 0, revision);
  }

  override lastPosition = async () => BigInt(this.#log.length);

  async *#after(events: () => readonly Slot[], next: number, signal: AbortSignal) {
    while (!signal.aborted) {
      const fresh = events().slice(next, next + PAGE);
      next += fresh.length;
      if (present(fresh).length > 0) yield present(fresh).map(this.#recorded);
      else if (fresh.length === 0) await once(this.#doorbell, 'ring', { signal }).catch(waitEnded);
    }
  }

  #of = (stream: string) => this.#streams.get(stream) ?? [];

  #recorded = ({ event, position }: StoredEvent): Recorded => toRecorded(this.#recording.catalogue, event, position);
}

const present = (places: readonly Slot[]) => places.filter((place) => place !== null);

function headOf(kept: readonly Slot[]): Head {
  const last = kept.at(-1);
  return last ? { revision: last.event.revision, hash: last.event.hash } : emptyStream;
}

const appended = (kept: readonly Slot[]): Appended => ({ head: headOf(kept), position: kept.at(-1)?.position ?? 0n });
