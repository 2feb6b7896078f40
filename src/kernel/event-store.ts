import type { DomainEvent } from './decider.js';

/** The author of an event, by ID. It never contains an e-mail address or a token. */
export type Actor = {
  readonly kind: 'anonymous' | 'user' | 'system';
  readonly id?: string;
  readonly name?: string;
  /** The connected app that acted for the user, by the name it gave itself; absent if the user acted directly. */
  readonly client?: string;
  /** The grant (`grt_…`) by which the connected app acted. */
  readonly grant?: string;
  /** The access token (`tok_…`) that a script used. Its name is stored outside the log. */
  readonly token?: string;
  /** The trusted publisher (`pub_…`) through which the token was issued. */
  readonly publisher?: string;
};

/** An event to be recorded. IDs and times are made at the edge, so that deciding stays pure. */
export type NewEvent<Event extends DomainEvent = DomainEvent> = Event & {
  /** `evt_` and a UUIDv7. Appending the same ID again at the same revision has no further effect. */
  readonly id: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
  readonly actor: Actor;
};

/** The end of a stream. `read` and `append` return it, and the next `append` expects it. */
export type Head = {
  /** Revision of the last event, counted from 1; 0 for an empty stream. */
  readonly revision: number;
  /** Hash of the last event, 64 hexadecimal digits; null in a stream without a hash chain (all but `site-…`). */
  readonly hash: string | null;
};

export const emptyStream: Head = { revision: 0, hash: null };

export type Recorded<Event extends DomainEvent = DomainEvent> = NewEvent<Event> & {
  readonly stream: string;
  /** Position in its stream, counted from 1, without gaps. */
  readonly revision: number;
  /**
   * Position in the whole store, in commit order. There are gaps, so compare positions but do not calculate with them.
   */
  readonly position: bigint;
  /** Schema version in which the event was stored. `data` is already upcast to the newest one. */
  readonly schema: number;
  /** The data as stored, before any upcast: canonical JSON (RFC 8785). */
  readonly stored: string;
  readonly hash: string | null;
  readonly previousHash: string | null;
};

/**
 * An event exactly as stored, without any parsing, so it may be damaged. Used to verify a chain, or to find the break
 * in
 * it.
 */
export type RawEvent = Omit<NewEvent, 'actor' | 'data'> & {
  readonly stream: string;
  readonly revision: number;
  readonly schema: number;
  /** Canonical JSON text, unless someone tampered with it. The same is true of `data`. */
  readonly actor: string;
  readonly data: string;
  readonly hash: string | null;
  readonly previousHash: string | null;
};

export type Appended = { readonly head: Head; readonly position: bigint };

/** The contract of every engine, checked by `test/contracts/event-store.contract.ts`. */
export abstract class EventStore {
  /** Returns the events of a stream after `revision` (all by default), oldest first, and the stream’s head. */
  abstract read(stream: string, revision?: number): Promise<{ events: Recorded[]; head: Head }>;

  /** Returns at most `limit` events of a stream after `revision`, oldest first, so that memory stays bounded. */
  abstract page(stream: string, revision: number, limit: number): Promise<readonly Recorded[]>;

  /**
   * Appends all events durably, or none. Returns `conflict` if `head` is no longer the end of the stream.
   *
   * Idempotent by event ID: events that are already recorded at these revisions give the same result as the first time.
   * Hash chains are linked here, because the check of the revision rules out races. If the connection to the database
   * is
   * lost before it responds, the engine retries with the same IDs. If it cannot find out the result in time, it throws
   * `StoreUnavailableError`: the append may or may not have happened, and only the same IDs may be sent again. Throws
   * `StorageFullError` if the disk is full; then nothing was appended.
   */
  abstract append(stream: string, head: Head, events: readonly NewEvent[]): Promise<Appended | 'conflict'>;

  /**
   * Yields the events of the whole store after `position`, then new ones, until `signal` aborts (it then ends without
   * an
   * error). Batches are never empty and are in order of position; each event comes once. Survives an outage of the
   * database.
   */
  abstract follow(position: bigint, signal: AbortSignal): AsyncIterable<readonly Recorded[]>;

  /**
   * Yields all events after `position` up to and including `last`, in order of position, as fast as the engine can: for
   * readers of the whole log. Ends early if `signal` aborts. Unlike `follow`, it fails if the database becomes
   * unavailable.
   */
  abstract scan(position: bigint, last: bigint, signal: AbortSignal): AsyncIterable<readonly Recorded[]>;

  /**
   * Yields the events of one stream after `revision`, then new ones, until `signal` aborts (it then ends without an
   * error).
   * Batches are never empty and are in order of revision; each event comes once. Survives an outage of the database.
   */
  abstract watch(stream: string, revision: number, signal: AbortSignal): AsyncIterable<readonly Recorded[]>;

  /**
   * Yields the events of a stream exactly as stored, oldest first, in pages that are never empty. Events appended after
   * the
   * first read are not included. Nothing is parsed or upcast, so damaged events can be read too. If another program
   * wrote to
   * the tables directly, revisions may be missing, duplicated or below 1. Each page is read on demand.
   */
  abstract raw(stream: string): AsyncIterable<readonly RawEvent[]>;

  /**
   * Permanently deletes the events of a stream up to and including `revision`. Later events keep their revisions and
   * positions. Readers of the whole store no longer get the deleted events, so a later event must record the deletion.
   * Throws for a hash-chained stream, whose history must stay complete.
   */
  abstract truncate(stream: string, revision: number): Promise<void>;

  /** Position of the last event, 0 for an empty store. */
  abstract lastPosition(): Promise<bigint>;

  /**
   * Why readers in this process are stuck although the store is reachable, and what the operator can do about it; null
   * if
   * they are not.
   */
  get trouble(): string | null {
    return null;
  }
}

/** The store is unavailable. The last append may or may not have happened. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}
