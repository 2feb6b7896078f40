import type { Head, RawEvent } from '../event-store.js';
import { canonical } from './canonical.js';

/** Returns the SHA-256 hash of the string's UTF-8 bytes in hexadecimal. */
export type Digest = (text: string) => string;

/**
 * An event as it is stored and hashed: before any conversion to a newer schema version, and without its position, which
 * depends on the engine.
 */
export type StoredForm = Omit<RawEvent, 'hash' | 'previousHash'>;

/**
 * Computes the hash of an event: SHA-256 of the previous event's hash (empty for the first event), followed by the
 * canonical JSON (RFC 8785) of this event as stored. `actor` and `data` are inserted verbatim.
 */
export function chainHash(digest: Digest, previous: string | null, event: StoredForm): string {
  const { actor, at, data, id, revision, schema, stream, type } = event;
  return digest(
    `${previous ?? ''}{"actor":${actor},"at":${canonical(at)},"data":${data},"id":${canonical(id)},` +
      `"revision":${canonical(revision)},"schema":${canonical(schema)},"stream":${canonical(stream)},"type":${canonical(type)}}`,
  );
}

/**
 * Assigns hashes to consecutive events, each based on the previous hash, starting at `head`. If not `chained`, all
 * hashes are null.
 */
export function linkAll(digest: Digest, chained: boolean, head: Head, events: readonly StoredForm[]): RawEvent[] {
  let last = head.hash;
  return events.map((event) => {
    const previousHash = chained ? last : null;
    last = chained ? chainHash(digest, last, event) : null;
    return { ...event, hash: last, previousHash };
  });
}
