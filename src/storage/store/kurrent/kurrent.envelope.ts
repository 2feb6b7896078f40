import esdb, { type AllStreamResolvedEvent, type BinaryEventData, type ResolvedEvent } from '@eventstore/db-client';
import type { RawEvent } from '../../../kernel/event-store.js';
import type { Digest } from '../../../kernel/hashing/chain.js';
import type { PositionedEvent } from '../whole-log.js';

export type ReceivedEvent = ResolvedEvent | AllStreamResolvedEvent;

/**
 * Metadata of our events. The actor is stored as the JSON text that was hashed, because the client would reformat a
 * JSON object and move keys that look like numbers to the front.
 */
type Envelope = {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly schema: number;
  readonly hash: string | null;
  readonly previousHash: string | null;
};

/**
 * Removes the prefix from the name of the event’s stream. If the name lacks the prefix, keeps only the event’s
 * position.
 */
export function withoutPrefix(received: ReceivedEvent, prefix: string): ReceivedEvent {
  const { event } = received;
  if (event?.streamId.startsWith(prefix))
    return { ...received, event: { ...event, streamId: event.streamId.slice(prefix.length) } };
  return { commitPosition: readPosition(received) };
}

/** Thrown for an event that no version of Stele can have written, or if the server is too old. */
export class UnusableEventError extends Error {
  override readonly name = 'UnusableEventError';
}

/** The largest integer, which servers before 22.6 return as the position of an event in a stream. */
const UNKNOWN_POSITION = 2n ** 63n;

/** Converts an event for appending. The data is sent as bytes, because the server returns bytes unchanged. */
export function toWire(digest: Digest, { data, type, ...event }: RawEvent): BinaryEventData {
  const { id, at, actor, schema, hash, previousHash } = event;
  const envelope: Envelope = { id, at, actor, schema, hash, previousHash };
  return esdb.binaryEvent({ id: uuidOf(digest, id), type, data: Buffer.from(data), metadata: envelope });
}

export const isOurs = ({ event }: ReceivedEvent): boolean => isEnvelope(event?.metadata);

/**
 * Converts an event exactly as it is stored. An event of another program gets an empty actor and no hashes, so it
 * appears as a break in the hash chain.
 */
export function toRaw(received: ReceivedEvent): RawEvent {
  const { event } = received;
  if (!event) throw new UnusableEventError('The event store returned a link without its event.');
  const { metadata, data, type, streamId: stream, created } = event;
  const revision = Number(event.revision) + 1;
  const foreign = { id: event.id, at: created.toISOString(), actor: '', schema: 0, hash: null, previousHash: null };
  const { id, at, actor, schema, hash, previousHash } = isEnvelope(metadata) ? metadata : foreign;
  return { id, stream, revision, type, schema, at, actor, data: textOf(data), hash, previousHash };
}

/** Converts one of our events. Throws for any other event, because decisions must not depend on foreign events. */
export function toPositioned(received: ReceivedEvent): PositionedEvent {
  if (!isOurs(received)) {
    const { streamId, revision } = received.event ?? {};
    throw new UnusableEventError(`Event ${Number(revision) + 1} of ${streamId} was not written by Stele.`);
  }
  return { ...toRaw(received), position: readPosition(received) };
}

/** Returns the commit position. Throws `UnusableEventError` if the server did not send it. */
export function readPosition({ commitPosition, event }: ReceivedEvent): bigint {
  const position = commitPosition ?? event?.position?.commit;
  if (position === undefined || position >= UNKNOWN_POSITION)
    throw new UnusableEventError(
      'The event store does not report the log positions of events. Stele needs EventStoreDB 22.6 or later.',
    );
  return position;
}

/** Derives a UUID (version 8 of RFC 9562) from our ID. The server never appends two events with the same UUID. */
function uuidOf(digest: Digest, id: string): string {
  const hex = digest(id);
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const textOf = (data: unknown) =>
  data instanceof Uint8Array
    ? Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()
    : typeof data === 'string'
      ? data
      : JSON.stringify(data);

function isEnvelope(metadata: unknown): metadata is Envelope {
  if (typeof metadata !== 'object' || metadata === null) return false;
  const { id, at, actor, schema, hash, previousHash } = metadata as Partial<Record<keyof Envelope, unknown>>;
  const isHash = (value: unknown) => value === null || typeof value === 'string';
  return (
    [id, at, actor].every((text) => typeof text === 'string') &&
    typeof schema === 'number' &&
    isHash(hash) &&
    isHash(previousHash)
  );
}
