import { once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import * as grpc from '@grpc/grpc-js';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import {
  appendAnswer,
  brokenAnswer,
  confirmation,
  eventAnswer,
  expectedOf,
  filterOf,
  nameOf,
  notFound,
  proposed,
} from './messages.js';
import { type Expected, StandInLog, type Written } from './stand-in-log.js';

type ReadReq = InstanceType<typeof streams.ReadReq>;
type ReadResp = InstanceType<typeof streams.ReadResp>;
type AppendReq = InstanceType<typeof streams.AppendReq>;
type AppendResp = InstanceType<typeof streams.AppendResp>;
type BatchAppendReq = InstanceType<typeof streams.BatchAppendReq>;
type BatchAppendResp = InstanceType<typeof streams.BatchAppendResp>;
type Reading = grpc.ServerWritableStream<ReadReq, ReadResp>;

export type Call = 'append' | 'read' | 'subscribe';

/**
 * How a kind of call fails. `silent`: reads the request but does not respond. `mute`: executes the request but does
 * not respond (only for appends). `lost`: executes the request, but its response is lost. `cut`: closes the
 * connection first. `broken`: sends an unreadable response. `short`: ends a response halfway, as if it were complete.
 */
export type Fault = { readonly slowMs: number } | 'silent' | 'mute' | 'lost' | 'cut' | 'broken' | 'short';

/** Maximum size of data, metadata and type in one append, as on a server with default settings. */
const MOST_BYTES = 1024 * 1024;

/**
 * A fake EventStoreDB server. It uses the gRPC definitions of the official client, and fails when a test tells it to.
 */
export class StandIn {
  readonly log = new StandInLog();
  /**
   * Faults by kind of call. A fault applies to the next `times` calls of its kind, unless a test removes it earlier.
   */
  readonly faults = new Map<Call, { readonly fault: Fault; times: number }>();
  readonly calls = { append: 0, batchAppend: 0, read: 0, subscribe: 0 };
  /** Number of events received in appends, and number of appends that the client did not finish. */
  readonly appended = { events: 0, unfinished: 0 };
  readonly authorizations = new Set<string>();
  /** Whether to behave like a server before version 22.6. */
  isOld = false;
  /** Whether to behave like a server that does not know the user. */
  refuses = false;
  /** Maximum size of one append, like `EVENTSTORE_MAX_APPEND_SIZE`. */
  mostBytes = MOST_BYTES;
  #server: grpc.Server | undefined;
  #port = 0;

  constructor(private readonly secure?: { readonly key: Buffer; readonly certificate: Buffer }) {}

  static async start(): Promise<StandIn> {
    const standIn = new StandIn();
    await standIn.listen();
    return standIn;
  }

  get port() {
    return this.#port;
  }

  get url() {
    return `esdb://127.0.0.1:${this.#port}?tls=false`;
  }

  goWrong(call: Call, fault: Fault, times = Number.POSITIVE_INFINITY) {
    this.faults.set(call, { fault, times });
  }

  /** Listens on the port of the previous start. The first start uses any free port. */
  async listen(): Promise<void> {
    const server = new grpc.Server({ 'grpc.max_receive_message_length': -1 });
    server.addService(streamsService.StreamsService, {
      append: this.#append,
      batchAppend: this.#batchAppend,
      read: this.#read,
      delete: unimplemented,
      tombstone: unimplemented,
    });
    server.addService(featuresService.ServerFeaturesService, { getSupportedMethods: supported });
    const pair = this.secure && { private_key: this.secure.key, cert_chain: this.secure.certificate };
    const credentials = pair ? grpc.ServerCredentials.createSsl(null, [pair]) : grpc.ServerCredentials.createInsecure();
    this.#port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(`127.0.0.1:${this.#port}`, credentials, (error, port) =>
        error ? reject(error) : resolve(port),
      );
    });
    this.#server = server;
  }

  stop() {
    this.#server?.forceShutdown();
    this.#server = undefined;
  }

  #faultOf(call: Call): Fault | undefined {
    this.calls[call]++;
    const due = this.faults.get(call);
    if (!due || due.times-- <= 0) return undefined;
    return due.fault;
  }

  #append = async (
    call: grpc.ServerReadableStream<AppendReq, AppendResp>,
    answer: grpc.sendUnaryData<AppendResp>,
  ): Promise<void> => {
    const fault = this.#faultOf('append');
    for (const value of call.metadata.get('authorization')) this.authorizations.add(String(value));
    let stream = '';
    let expected: Expected = null;
    let bytes = 0;
    const events: ReturnType<typeof proposed>[] = [];
    call.on('error', () => undefined);
    call.on('cancelled', () => this.appended.unfinished++);
    call.on('data', (request: AppendReq) => {
      const options = request.getOptions();
      const message = request.getProposedMessage();
      if (options) [stream, expected] = [nameOf(options.getStreamIdentifier()), expectedOf(options)];
      else if (message) {
        const event = proposed(message);
        events.push(event);
        this.appended.events++;
        bytes += event.data.length + event.metadata.length + event.type.length;
      }
    });
    call.on('end', async () => {
      // A client that gives up may have sent half a request, which must not be executed. The server notices the
      // disconnection only after this turn of the event loop.
      await nextTurn();
      if (call.cancelled || fault === 'silent') return;
      if (fault === 'cut') return this.#cut();
      if (typeof fault === 'object') await pause(fault.slowMs);
      if (bytes > this.mostBytes) return answer(tooLarge(this.mostBytes));
      const outcome = this.log.append(stream, expected, events);
      if (fault === 'mute') return;
      if (fault === 'lost') return this.#cut();
      answer(null, fault === 'broken' ? new streams.AppendResp() : appendAnswer(outcome));
    });
  };

  #batchAppend = (call: grpc.ServerDuplexStream<BatchAppendReq, BatchAppendResp>) => {
    const begun = new Map<string, { stream: string; expected: Expected; events: ReturnType<typeof proposed>[] }>();
    call.on('error', () => undefined);
    call.on('end', () => call.end());
    call.on('data', (request: BatchAppendReq) => {
      const correlation = request.getCorrelationId()?.getString() ?? '';
      const options = request.getOptions();
      const batch = begun.get(correlation) ?? { stream: '', expected: null, events: [] };
      begun.set(correlation, batch);
      if (options) {
        batch.stream = nameOf(options.getStreamIdentifier());
        if (options.hasStreamPosition()) batch.expected = Number(options.getStreamPosition());
        else if (options.hasNoStream()) batch.expected = -1;
      }
      batch.events.push(...request.getProposedMessagesList().map(proposed));
      if (!request.getIsFinal()) return;
      this.calls.batchAppend++;
      begun.delete(correlation);
      const outcome = this.log.append(batch.stream, batch.expected, batch.events);
      call.write(batchAnswer(correlation, batch.stream, outcome));
    });
  };

  #read = async (call: Reading): Promise<void> => {
    const options = call.request.getOptions();
    const isSubscription = options?.hasSubscription() ?? false;
    const fault = this.#faultOf(isSubscription ? 'subscribe' : 'read');
    call.on('error', () => undefined);
    if (this.refuses) return void call.emit('error', refusal());
    if (!options || fault === 'silent') return;
    if (fault === 'cut') return this.#cut();
    if (typeof fault === 'object') await pause(fault.slowMs);
    if (fault === 'broken') return void call.write(brokenAnswer());
    // A subscription to the whole log can start only at the position of an existing event.
    const from = options.getAll()?.getPosition()?.getCommitPosition();
    if (from !== undefined && !this.log.has(BigInt(from))) return void call.emit('error', unknownPosition());
    if (isSubscription) await this.#subscribe(call, options, fault);
    else await this.#answer(call, options, fault);
  };

  async #answer(call: Reading, options: NonNullable<ReturnType<ReadReq['getOptions']>>, fault: Fault | undefined) {
    const isBackwards = options.getReadDirection() === 1;
    const ofStream = options.getStream();
    const ofAll = options.getAll();
    let events = this.log.all;
    let from = 0;
    let first = 0;
    if (ofStream) {
      const stream = nameOf(ofStream.getStreamIdentifier());
      const kept = this.log.streams.get(stream);
      if (!kept) {
        call.write(notFound(stream));
        return call.end();
      }
      events = kept;
      first = this.log.shownFrom(stream);
      from = ofStream.hasRevision() ? Number(ofStream.getRevision()) : ofStream.hasEnd() ? kept.length - 1 : 0;
    } else if (ofAll?.hasPosition()) from = this.log.indexAt(BigInt(ofAll.getPosition()?.getCommitPosition() ?? 0));
    else if (ofAll?.hasEnd()) from = events.length - 1;

    if (!isBackwards) from = Math.max(from, first);
    const there = isBackwards ? from + 1 - first : events.length - from;
    let most = Math.min(Number(options.getCount()), Math.max(0, there));
    if (fault === 'short') most = Math.floor(most / 2);
    for (let n = 0; n < most && !call.cancelled; n++) {
      const event = events[isBackwards ? from - n : from + n];
      if (event && !call.write(eventAnswer(event, this.isOld && ofStream !== undefined))) await drained(call);
    }
    if (fault === 'lost') return this.#cut();
    call.end();
  }

  async #subscribe(call: Reading, options: NonNullable<ReturnType<ReadReq['getOptions']>>, fault: Fault | undefined) {
    const passes = filterOf(options.getFilter());
    const ofAll = options.getAll();
    let next = ofAll?.hasPosition()
      ? this.log.indexAt(BigInt(ofAll.getPosition()?.getCommitPosition() ?? 0) + 1n)
      : ofAll?.hasEnd()
        ? this.log.all.length
        : 0;
    call.write(confirmation());
    const ended = once(call, 'cancelled').catch(() => undefined);
    while (!call.cancelled) {
      const event = this.log.all[next];
      if (!event) {
        await Promise.race([once(this.log.grown, 'grown'), ended]);
        continue;
      }
      next++;
      if (!passes(event)) continue;
      if (fault === 'lost') return this.#cut();
      if (fault === 'short') return call.end();
      if (!call.write(eventAnswer(event))) await drained(call);
    }
  }

  #cut() {
    this.stop();
    void this.listen();
  }
}

/**
 * Waits until the call can take more data. Removes its own listeners, because a long response waits thousands of
 * times.
 */
async function drained(call: Reading): Promise<void> {
  const left = new AbortController();
  const ends = ['drain', 'cancelled', 'close'].map((event) => once(call, event, { signal: left.signal }));
  await Promise.race(ends).catch(() => undefined);
  left.abort();
  await Promise.allSettled(ends);
}

const unimplemented = (_call: unknown, answer: grpc.sendUnaryData<never>) =>
  answer({ code: grpc.status.UNIMPLEMENTED, details: 'not here' });

function supported(_call: unknown, answer: grpc.sendUnaryData<InstanceType<typeof features.SupportedMethods>>) {
  const method = (name: string) =>
    new features.SupportedMethod().setServiceName('event_store.client.streams.Streams').setMethodName(name);
  const methods = ['append', 'batchappend', 'read'].map(method);
  answer(null, new features.SupportedMethods().setEventStoreServerVersion('24.10.0.0').setMethodsList(methods));
}

function refusal() {
  const metadata = new grpc.Metadata();
  metadata.set('exception', 'access-denied');
  return Object.assign(new Error('Access Denied'), { code: grpc.status.PERMISSION_DENIED, metadata });
}

const unknownPosition = () =>
  Object.assign(new Error('Trying to read from an invalid position.'), { code: grpc.status.INVALID_ARGUMENT });

function tooLarge(mostBytes: number): Partial<grpc.StatusObject> {
  const metadata = new grpc.Metadata();
  metadata.set('exception', 'maximum-append-size-exceeded');
  metadata.set('maximum-append-size', String(mostBytes));
  return { code: grpc.status.INVALID_ARGUMENT, details: 'Maximum Append Size exceeded.', metadata };
}

function batchAnswer(correlation: string, stream: string, outcome: Written) {
  const answer = new streams.BatchAppendResp()
    .setCorrelationId(new shared.UUID().setString(correlation))
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)));
  if ('wrong' in outcome) {
    const wrong = new shared.WrongExpectedVersion();
    if (outcome.wrong < 0) wrong.setCurrentNoStream(new empty.Empty());
    else wrong.setCurrentStreamRevision(String(outcome.wrong));
    const details = new any.Any();
    details.pack(wrong.serializeBinary(), 'event_store.client.WrongExpectedVersion');
    return answer.setError(new status.Status().setDetails(details));
  }
  const position = new shared.AllStreamPosition()
    .setCommitPosition(String(outcome.position))
    .setPreparePosition(String(outcome.position));
  return answer.setSuccess(
    new streams.BatchAppendResp.Success().setCurrentRevision(String(outcome.revision)).setPosition(position),
  );
}
