import type { Head, RawEvent } from '../event-store.js';
import { canonical } from './canonical.js';

/** SHA-256 of the text's UTF-8 bytes, as 64 hexadecimal digits. */
export type Digest = (text: string) => string;

/**
 * An event in the form that is stored and hashed: before any upcast, and without its position, which depends on the
 * engine.
 */
export type StoredForm = Omit<RawEvent, 'hash' | 'previousHash'>;

/**
 * Computes the hash of an event: SHA-256 over the hash of the previous event (64 digits as text; empty for the first
 * event) followed by the canonical JSON (RFC 8785) of the event’s stored form. `actor` and `data` are inserted
 * verbatim.
 */
export function chainHash(digest: Digest, previous: string | null, event: StoredForm): string {
  const { actor, at, data, id, revision, schema, stream, type } = event;
  return digest(
    `${previous ?? ''}{"actor":${actor},"at":${canonical(at)},"data":${data},"id":${canonical(id)},` +
      `"revision":${canonical(revision)},"schema":${canonical(schema)},"stream":${canonical(stream)},"type":${canonical(type)}}`,
  );
}

/**
 * Links each of these consecutive events to the one before, starting at `head`. Leaves hashes null if not `chained`.
 */
export function linkAll(digest: Digest, chained: boolean, head: Head, events: readonly StoredForm[]): RawEvent[] {
  let last = head.hash;
  return events.map((event) => {
    const previousHash = chained ? last : null;
    last = chained ? chainHash(digest, last, event) : null;
    return { ...event, hash: last, previousHash };
  });
}
