import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Expected, Proposed, StandInEvent, Written } from './stand-in-log.js';

const TICKS_PER_MS = 10_000n;
/** The position that servers before version 22.6 report for events read from a stream. */
const UNKNOWN = String(2n ** 64n - 1n);

type Message = InstanceType<typeof streams.AppendReq.ProposedMessage>;

export const nameOf = (identifier: { getStreamName_asU8(): Uint8Array } | undefined) =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString();

export const proposed = (
  message: Pick<Message, 'getId' | 'getMetadataMap' | 'getData_asU8' | 'getCustomMetadata_asU8'>,
): Proposed => ({
  id: message.getId()?.getString() ?? '',
  type: message.getMetadataMap().get('type') ?? '',
  contentType: message.getMetadataMap().get('content-type') ?? '',
  data: message.getData_asU8(),
  metadata: message.getCustomMetadata_asU8(),
});

export function expectedOf(options: InstanceType<typeof streams.AppendReq.Options>): Expected {
  if (options.hasRevision()) return Number(options.getRevision());
  return options.hasNoStream() ? -1 : null;
}

export function appendAnswer(outcome: Written) {
  const answer = new streams.AppendResp();
  if ('wrong' in outcome) {
    const wrong = new streams.AppendResp.WrongExpectedVersion();
    if (outcome.wrong < 0) wrong.setCurrentNoStream(new shared.Empty());
    else wrong.setCurrentRevision(String(outcome.wrong));
    return answer.setWrongExpectedVersion(wrong);
  }
  const position = new streams.AppendResp.Position();
  position.setCommitPosition(String(outcome.position)).setPreparePosition(String(outcome.position));
  const success = new streams.AppendResp.Success();
  return answer.setSuccess(success.setCurrentRevision(String(outcome.revision)).setPosition(position));
}

/** Returns an event as a response to a read of a stream. With `isOld`, responds like servers before version 22.6. */
export function eventAnswer(event: StandInEvent, isOld = false) {
  const record = new streams.ReadResp.ReadEvent.RecordedEvent();
  const position = isOld ? UNKNOWN : String(event.position);
  record
    .setId(new shared.UUID().setString(event.id))
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(event.stream)))
    .setStreamRevision(String(event.revision))
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setData(event.data)
    .setCustomMetadata(event.metadata);
  record
    .getMetadataMap()
    .set('type', event.type)
    .set('content-type', event.contentType)
    .set('created', String(BigInt(event.createdMs) * TICKS_PER_MS));
  const read = new streams.ReadResp.ReadEvent().setEvent(record);
  if (isOld) read.setNoPosition(new shared.Empty());
  else read.setCommitPosition(position);
  return new streams.ReadResp().setEvent(read);
}

/** Returns a response that the client fails to convert, because its event has neither a stream nor an ID. */
export const brokenAnswer = () =>
  new streams.ReadResp().setEvent(
    new streams.ReadResp.ReadEvent().setEvent(new streams.ReadResp.ReadEvent.RecordedEvent()),
  );

export const confirmation = () =>
  new streams.ReadResp().setConfirmation(new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId('one'));

export const notFound = (stream: string) =>
  new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(
      new shared.StreamIdentifier().setStreamName(Buffer.from(stream)),
    ),
  );

type Filter = InstanceType<typeof streams.ReadReq.Options.FilterOptions>;

/** Returns a predicate for a subscription's filter. Without a filter, it accepts every event. */
export function filterOf(filter: Filter | undefined): (event: StandInEvent) => boolean {
  const byStream = filter?.getStreamIdentifier();
  const expression = byStream ?? filter?.getEventType();
  if (!expression) return () => true;
  const prefixes = expression.getPrefixList();
  const pattern = new RegExp(expression.getRegex());
  return (event) => {
    const text = byStream ? event.stream : event.type;
    return prefixes.length > 0 ? prefixes.some((prefix) => text.startsWith(prefix)) : pattern.test(text);
  };
}
