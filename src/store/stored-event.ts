import type { Catalogue } from '../events/event-type.js';
import { canonical } from '../kernel/canonical.js';
import { type Digest, linkAll, type StoredForm } from '../kernel/chain.js';
import type { Head, NewEvent, Recorded } from '../kernel/event-store.js';

/** An event as an engine keeps it: the stored form and its place in the hash chain. */
export type StoredEvent = StoredForm & { readonly hash: string | null; readonly previousHash: string | null };

/** What an engine must know of the events it stores, without knowing any of them by name. */
export type Recording = {
  readonly catalogue: Catalogue;
  /** Whether a stream's events are linked by hashes. */
  readonly isChained: (stream: string) => boolean;
  readonly digest: Digest;
};

/** The events as they will be stored after `head`. Throws, before anything is stored, for one that does not fit its schema. */
export function toStored(
  { catalogue, isChained, digest }: Recording,
  stream: string,
  head: Head,
  events: readonly NewEvent[],
): StoredEvent[] {
  if (events.length === 0) throw new RangeError('An append has at least one event.');
  const forms = events.map(({ id, type, at, actor, data }, n) => ({
    id,
    stream,
    revision: head.revision + n + 1,
    type,
    schema: catalogue.write(type, data),
    at,
    actor,
    data: canonical(data),
  }));
  const links = linkAll(digest, isChained(stream), head, forms);
  return forms.map((form, n) => ({ hash: null, previousHash: null, ...form, ...links[n] }));
}

/** A stored event as readers see it: its data in the newest shape, and beside it as it was stored. */
export function toRecorded(catalogue: Catalogue, { data, ...stored }: StoredEvent, position: bigint): Recorded {
  return {
    ...stored,
    data: catalogue.read(stored.type, JSON.parse(data), stored.schema),
    stored: data,
    position,
  };
}
