import type { Catalogue } from '../../events/event-type.js';
import type { Head, NewEvent, RawEvent, Recorded } from '../../kernel/event-store.js';
import { canonical } from '../../kernel/hashing/canonical.js';
import { type Digest, linkAll } from '../../kernel/hashing/chain.js';

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

/** A stored event as readers see it: its data in the newest shape, and beside it as it was stored. */
export function toRecorded(catalogue: Catalogue, { actor, data, ...stored }: RawEvent, position: bigint): Recorded {
  return {
    ...stored,
    actor: JSON.parse(actor),
    data: catalogue.read(stored.type, JSON.parse(data), stored.schema),
    stored: data,
    position,
  };
}
