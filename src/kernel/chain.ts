import { canonical } from './canonical.js';
import type { Actor, Head, RawEvent } from './event-store.js';

/** SHA-256 of the text's UTF-8 bytes, as 64 hexadecimal digits. */
export type Digest = (text: string) => string;

/** An event as it is stored and hashed: before any upcast, and without its position, which belongs to one engine. */
export type StoredForm = {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly schema: number;
  readonly at: string;
  readonly actor: Actor;
  /** Canonical JSON text. */
  readonly data: string;
};

/**
 * The hash of an event: SHA-256 over the previous event's hash (its 64 digits as text; nothing for the first)
 * followed by the canonical JSON (RFC 8785) of its stored form. `data` is spliced in as the text it is stored as.
 */
export function chainHash(digest: Digest, previous: string | null, event: StoredForm): string {
  return hashOf(digest, previous, canonical(event.actor), event);
}

/** The same over the texts as they stand, whatever they say. */
export const rawHash = (digest: Digest, previous: string | null, event: RawEvent): string =>
  hashOf(digest, previous, event.actor, event);

function hashOf(digest: Digest, previous: string | null, actor: string, event: Omit<StoredForm, 'actor'>): string {
  const { at, data, id, revision, schema, stream, type } = event;
  return digest(
    `${previous ?? ''}{"actor":${actor},"at":${canonical(at)},"data":${data},"id":${canonical(id)},` +
      `"revision":${canonical(revision)},"schema":${canonical(schema)},"stream":${canonical(stream)},"type":${canonical(type)}}`,
  );
}

/** Hash and previous hash of consecutive events after `head`; nulls for a stream that is not chained. */
export function linkAll(digest: Digest, chained: boolean, head: Head, events: readonly StoredForm[]) {
  let previous = head.hash;
  return events.map((event) => {
    if (!chained) return { hash: null, previousHash: null };
    const link = { hash: chainHash(digest, previous, event), previousHash: previous };
    previous = link.hash;
    return link;
  });
}
