import type { Head, RawEvent } from '../event-store.js';
import { canonical } from './canonical.js';

/** SHA-256 of the text's UTF-8 bytes, as 64 hexadecimal digits. */
export type Digest = (text: string) => string;

/** An event as it is stored and hashed: before any upcast, and without its position, which belongs to one engine. */
export type StoredForm = Omit<RawEvent, 'hash' | 'previousHash'>;

/**
 * The hash of an event: SHA-256 over the previous event's hash (its 64 digits as text; nothing for the first)
 * followed by the canonical JSON (RFC 8785) of its stored form. `actor` and `data` are spliced in as the texts they are
 * stored as, whatever these say.
 */
export function chainHash(digest: Digest, previous: string | null, event: StoredForm): string {
  const { actor, at, data, id, revision, schema, stream, type } = event;
  return digest(
    `${previous ?? ''}{"actor":${actor},"at":${canonical(at)},"data":${data},"id":${canonical(id)},` +
      `"revision":${canonical(revision)},"schema":${canonical(schema)},"stream":${canonical(stream)},"type":${canonical(type)}}`,
  );
}

/** Consecutive events after `head`, each linked to the one before; not linked at all in a stream that is not chained. */
export function linkAll(digest: Digest, chained: boolean, head: Head, events: readonly StoredForm[]): RawEvent[] {
  let last = head.hash;
  return events.map((event) => {
    const previousHash = chained ? last : null;
    last = chained ? chainHash(digest, last, event) : null;
    return { ...event, hash: last, previousHash };
  });
}
