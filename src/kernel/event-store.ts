import type { DomainEvent } from './decider.js';

/** The author of an event, identified by ID. Never contains an email address or a token. */
export type Actor = {
  readonly kind: 'anonymous' | 'user' | 'system';
  readonly id?: string;
  readonly name?: string;
  /** The name that the connected app gave itself. Absent if the user acted directly. */
  readonly client?: string;
  /** The grant (`grt_…`) of the connected app. */
  readonly grant?: string;
  /** The access token (`tok_…`) of a script. The token’s name is stored outside the log. */
  readonly token?: string;
  /** The trusted publisher (`pub_…`) through which the token was issued. */
  readonly publisher?: string;
};

/** An event to be recorded. The caller supplies the ID and the time, so that decisions stay pure. */
export type NewEvent<Event extends DomainEvent = DomainEvent> = Event & {
  /** `evt_` followed by a UUIDv7. Appending the same ID again at the same revision has no further effect. */
  readonly id: string;
  /** The time of the event: RFC 3339, in UTC, with milliseconds. */
  readonly at: string;
  readonly actor: Actor;
};

/**
 * The end of a stream, as returned by `read` and `append`. Pass it to the next `append`, which checks that it is still
 * the end.
 */
export type Head = {
  /** Revision of the last event, or 0 for an empty stream. */
  readonly revision: number;
  /** Hash of the last event (64 hexadecimal digits). Null in streams without a hash chain (all except `site-…`). */
  readonly hash: string | null;
};

export const emptyStream: Head = { revision: 0, hash: null };

export type Recorded<Event extends DomainEvent = DomainEvent> = NewEvent<Event> & {
  readonly stream: string;
  /** Position of the event in its stream, starting at 1, without gaps. */
  readonly revision: number;
  /** Position in the whole store, in commit order. Positions have gaps, so only their order is meaningful. */
  readonly position: bigint;
  /** Schema version in which the event was stored. `data` has already been converted to the newest version. */
  readonly schema: number;
  /**
   * The data exactly as it was stored, before any conversion to a newer schema version, as canonical JSON (RFC 8785).
   */
  readonly stored: string;
  readonly hash: string | null;
  readonly previousHash: string | null;
};

/** An event exactly as stored, unparsed and possibly damaged. Used to verify a hash chain. */
export type RawEvent = Omit<NewEvent, 'actor' | 'data'> & {
  readonly stream: string;
  readonly revision: number;
  readonly schema: number;
  /**
   * The actor as canonical JSON, like `data`. If someone tampered with the table, `actor` and `data` can contain
   * anything.
   */
  readonly actor: string;
  readonly data: string;
  readonly hash: string | null;
  readonly previousHash: string | null;
};

export type Appended = { readonly head: Head; readonly position: bigint };

/** Stores events. `test/contracts/event-store.contract.ts` checks every implementation. */
export abstract class EventStore {
  /** Returns the events of a stream after `revision` (by default all), oldest first, and the stream’s head. */
  abstract read(stream: string, revision?: number): Promise<{ events: Recorded[]; head: Head }>;

  /** Returns up to `limit` events of a stream after `revision`, oldest first. */
  abstract page(stream: string, revision: number, limit: number): Promise<readonly Recorded[]>;

  /**
   * Appends either all events, durably, or none. Returns `conflict` if `head` is no longer the end of the stream.
   *
   * Idempotent by event ID: repeating a successful append returns the same result. Also links the hash chain, because
   * only the revision check here rules out races. If the database connection is lost, the engine retries with the same
   * IDs. If the outcome remains unknown, it throws `StoreUnavailableError`, and the caller may only retry with the same
   * IDs. If the disk is full, it throws `StorageFullError` and appends nothing.
   */
  abstract append(stream: string, head: Head, events: readonly NewEvent[]): Promise<Appended | 'conflict'>;

  /**
   * Yields the events of the whole store after `position`, then new ones, each once and in order, in batches that are
   * never empty. Ends without an error when `signal` aborts. Survives database outages.
   */
  abstract follow(position: bigint, signal: AbortSignal): AsyncIterable<readonly Recorded[]>;

  /**
   * Yields all events after `position` up to and including `last`, in order, as fast as the engine can. Ends early if
   * `signal` aborts. Unlike `follow`, it fails if the database becomes unavailable.
   */
  abstract scan(position: bigint, last: bigint, signal: AbortSignal): AsyncIterable<readonly Recorded[]>;

  /** Like `follow`, but yields only the events of one stream, after `revision`. */
  abstract watch(stream: string, revision: number, signal: AbortSignal): AsyncIterable<readonly Recorded[]>;

  /**
   * Yields the events of a stream exactly as stored, oldest first, in non-empty pages that are read on demand. Does
   * not include events appended after the first read. Nothing is parsed, so damaged events can be read as well. If
   * another program wrote to the tables, revisions can be missing, duplicated or below 1.
   */
  abstract raw(stream: string): AsyncIterable<readonly RawEvent[]>;

  /**
   * Permanently deletes the events of a stream up to and including `revision`. Later events keep their revisions and
   * positions. Readers of the whole store no longer get the deleted events, so a later event must record the
   * deletion. Throws for a stream with a hash chain.
   */
  abstract truncate(stream: string, revision: number): Promise<void>;

  /** Returns the position of the last event, or 0 for an empty store. */
  abstract lastPosition(): Promise<bigint>;

  /**
   * States why readers in this process are stuck although the store is reachable, with a remedy. Null if no reader is
   * stuck.
   */
  get trouble(): string | null {
    return null;
  }
}

/** Thrown if the store is unavailable. The last append may or may not have happened. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}
