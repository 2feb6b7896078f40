import type { Catalogue } from '../../events/event-type.js';
import type { Head, NewEvent, RawEvent, Recorded } from '../../kernel/event-store.js';
import { canonical } from '../../kernel/hashing/canonical.js';
import { type Digest, linkAll } from '../../kernel/hashing/chain.js';

/** Data that engines need to record events. Engines themselves do not know event types. */
export type Recording = {
  readonly catalogue: Catalogue;
  /** Reports whether the events of a stream form a hash chain. */
  readonly isChained: (stream: string) => boolean;
  readonly digest: Digest;
};

/**
 * Converts events that are appended after `head` to the stored format. Throws, before anything is stored, if an event
 * does not match its schema.
 */
export function toStored(
  { catalogue, isChained, digest }: Recording,
  stream: string,
  head: Head,
  events: readonly NewEvent[],
): RawEvent[] {
  if (events.length === 0) throw new RangeError('An append must have at least one event.');
  const forms = events.map(({ id, type, at, actor, data }, n) => ({
    id,
    stream,
    revision: head.revision + n + 1,
    type,
    schema: catalogue.write(type, data),
    at,
    actor: canonical(actor),
    data: canonical(data),
  }));
  return linkAll(digest, isChained(stream), head, forms);
}

/** Converts a stored event for readers, with its data both in the latest schema version and as stored. */
export function toRecorded(catalogue: Catalogue, { actor, data, ...stored }: RawEvent, position: bigint): Recorded {
  return {
    ...stored,
    actor: JSON.parse(actor),
    data: catalogue.read(stored.type, JSON.parse(data), stored.schema),
    stored: data,
    position,
  };
}
