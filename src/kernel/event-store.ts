import type { DomainEvent } from './decider.js';

/** Who did it. An id, never an address or a token. */
export type Actor = {
  readonly kind: 'anonymous' | 'user' | 'system';
  readonly id?: string;
  readonly name?: string;
  /** The program that acted for the user, as it names itself; left out where they acted themselves. */
  readonly client?: string;
  /** What the user gave that program, `grt_…`. */
  readonly grant?: string;
  /** The token that a script acted with, `tok_…`. Its name is kept beside the log. */
  readonly token?: string;
  /** The trusted publisher that the token came of, `pub_…`. */
  readonly publisher?: string;
};

/** An event with what it needs to be recorded: ids and times are made at the edge and travel with it. */
export type NewEvent<Event extends DomainEvent = DomainEvent> = Event & {
  /** `evt_` and a UUIDv7. Appending the same id again at the same place is the same append. */
  readonly id: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
  readonly actor: Actor;
};

/** Where a stream stands: what `read` and `append` answer, and what the next `append` expects. */
export type Head = {
  /** Of the last event, counted from 1; 0 for a stream that has none. */
  readonly revision: number;
  /** Of the last event in a hash-chained stream (`site-…`), 64 hexadecimal digits; else null. */
  readonly hash: string | null;
};

export const emptyStream: Head = { revision: 0, hash: null };

export type Recorded<Event extends DomainEvent = DomainEvent> = NewEvent<Event> & {
  readonly stream: string;
  /** Place in its stream, counted from 1, without gaps. */
  readonly revision: number;
  /** Place in the whole store, in commit order. Compare it, never add to it: there are gaps. */
  readonly position: bigint;
  /** The version of the shape it was stored in; `data` is already in the newest one. */
  readonly schema: number;
  /** The data as it was stored, canonical JSON (RFC 8785), before any upcast. */
  readonly stored: string;
  readonly hash: string | null;
  readonly previousHash: string | null;
};

/**
 * An event exactly as it stands in a store, with nothing in it read: its texts may have been damaged. It serves to
 * prove a chain, or to show where it broke.
 */
export type RawEvent = Omit<NewEvent, 'actor' | 'data'> & {
  readonly stream: string;
  readonly revision: number;
  readonly schema: number;
  /** Canonical JSON text, unless it was tampered with; so is `data`. */
  readonly actor: string;
  readonly data: string;
  readonly hash: string | null;
  readonly previousHash: string | null;
};

export type Appended = { readonly head: Head; readonly position: bigint };

/** What every engine must do, as `test/contracts/event-store.contract.ts` checks it. */
export abstract class EventStore {
  /** Events of a stream after `revision` (all of them without it), oldest first, and where the stream stands. */
  abstract read(stream: string, revision?: number): Promise<{ events: Recorded[]; head: Head }>;

  /** At most `limit` events of a stream after `revision`, oldest first, for a reader that has little room. */
  abstract page(stream: string, revision: number, limit: number): Promise<readonly Recorded[]>;

  /**
   * Appends all events or none, durably, if the stream still stands at `head`; else answers `conflict`.
   *
   * Idempotent by event id: events that already stand where they would go answer as they did the first time.
   * A hash-chained stream is linked here, where the expected revision makes it race-free. When the answer
   * of the database is lost the engine asks again with the same ids; if it cannot find out in time it throws
   * `StoreUnavailable`, and then the append may or may not have happened: only the same ids may be sent again.
   * `StorageFull` says that there is no room, and then nothing was appended.
   */
  abstract append(stream: string, head: Head, events: readonly NewEvent[]): Promise<Appended | 'conflict'>;

  /**
   * The whole store after `position`, then whatever comes, until `signal` aborts (then it ends, without error).
   * Batches are never empty, in position order, each event once. It outlives a database that goes away.
   */
  abstract follow(position: bigint, signal: AbortSignal): AsyncIterable<readonly Recorded[]>;

  /**
   * All events after `position`, up to `last` and with it, in position order, as fast as the engine can: for readers
   * of the whole log. Ends there, or when `signal` aborts. Unlike `follow` it fails when the database goes away.
   */
  abstract scan(position: bigint, last: bigint, signal: AbortSignal): AsyncIterable<readonly Recorded[]>;

  /**
   * One stream after `revision`, then whatever comes, until `signal` aborts (then it ends, without error). Batches are
   * never empty, in revision order, each event once. It outlives a database that goes away.
   */
  abstract watch(stream: string, revision: number, signal: AbortSignal): AsyncIterable<readonly Recorded[]>;

  /**
   * A stream as it stands in the store, oldest first, in pages that are never empty: what is there when the reading
   * begins, and nothing that is appended later. Nothing is parsed or upcast, so that damaged events can be read too; a
   * revision may be missing, stand twice or be below 1 where another program wrote past the store. A page is read when
   * it is asked for.
   */
  abstract raw(stream: string): AsyncIterable<readonly RawEvent[]>;

  /**
   * Drops the events of a stream up to `revision` and with it, for good. What came after stands where it stood, and
   * readers of the whole store are no longer shown what was dropped; so something must stand after it, which says so.
   * Throws for a stream that is chained by hashes: its past is what it is for.
   */
  abstract truncate(stream: string, revision: number): Promise<void>;

  /** Position of the last event, 0 for an empty store. */
  abstract lastPosition(): Promise<bigint>;

  /**
   * What keeps readers of this process from going on though the store answers, and what to do about it, in words for the
   * operator; null while nothing does.
   */
  get trouble(): string | null {
    return null;
  }
}

/** The store cannot answer now; nothing says whether the last append happened. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}
