import type { Head, RawEvent } from '../event-store.js';
import { canonical } from './canonical.js';

/** Returns the SHA-256 hash of the string's UTF-8 bytes, as 64 hexadecimal digits. */
export type Digest = (text: string) => string;

/**
 * An event in the form in which it is stored and hashed: before any upcast, and without its position, which depends on
 * the engine.
 */
export type StoredForm = Omit<RawEvent, 'hash' | 'previousHash'>;

/**
 * Computes the hash of an event: the SHA-256 hash of two strings, one after the other. The first is the previous
 * event's hash (64 digits, or an empty string for the first event). The second is the canonical JSON (RFC 8785) of the
 * event as stored, in which `actor` and `data` are inserted verbatim.
 */
export function chainHash(digest: Digest, previous: string | null, event: StoredForm): string {
  const { actor, at, data, id, revision, schema, stream, type } = event;
  return digest(
    `${previous ?? ''}{"actor":${actor},"at":${canonical(at)},"data":${data},"id":${canonical(id)},` +
      `"revision":${canonical(revision)},"schema":${canonical(schema)},"stream":${canonical(stream)},"type":${canonical(type)}}`,
  );
}

/**
 * Links each of these consecutive events to the one before it, starting at `head`. If not `chained`, the hashes are
 * null.
 */
export function linkAll(digest: Digest, chained: boolean, head: Head, events: readonly StoredForm[]): RawEvent[] {
  let last = head.hash;
  return events.map((event) => {
    const previousHash = chained ? last : null;
    last = chained ? chainHash(digest, last, event) : null;
    return { ...event, hash: last, previousHash };
  });
}
