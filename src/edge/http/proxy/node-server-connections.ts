import {
  Agent,
  type ClientRequest,
  type ClientRequestArgs,
  type IncomingMessage,
  type RequestOptions,
  request as sendRequest,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import type { ServerAddress } from '../../../kernel/ports/served-deploy.js';
import {
  evaluateResponseHead,
  MAX_HEAD_BYTES,
  MAX_INTERIM,
  MalformedResponseError,
  type ResponseHead,
} from './response-head.js';
import { FAULTS, MALFORMED, type ResponseFault, type ResponseReceiver } from './response-receiver.js';
import {
  addressKey,
  MAX_IDLE,
  MAX_IDLE_IN_ALL,
  NOT_LISTENING,
  type SentRequest,
  type ServerConnection,
  ServerConnectionPool,
  type ServerTimeouts,
} from './server-connections.js';
import { SilenceClock, type Watched } from './silence-clock.js';

/** A pool that uses Node’s own HTTP client (STELE_FAST_PATH=off). */
export class NodeServerConnections extends ServerConnectionPool {
  readonly #kept: IdleConnections;
  readonly #once = new SingleUseConnections({ keepAlive: true });
  readonly #clock: SilenceClock;

  constructor(private readonly timeouts: ServerTimeouts) {
    super();
    this.#kept = new IdleConnections({ keepAlive: true, maxFreeSockets: MAX_IDLE, timeout: timeouts.firstByte });
    this.#clock = new SilenceClock(timeouts.firstByte);
  }

  take(address: ServerAddress): ServerConnection {
    return new NodeServerConnection({ address, agent: this.#kept, canSwitchProtocol: false, ...this.#common });
  }

  open(address: ServerAddress, canSwitchProtocol: boolean): ServerConnection {
    return new NodeServerConnection({ address, agent: this.#once, canSwitchProtocol, ...this.#common });
  }

  close() {
    this.#kept.closeIdle();
  }

  get #common() {
    return { timeouts: this.timeouts, clock: this.#clock };
  }
}

type Addressed = { readonly serverAddress?: ServerAddress };

class ServerAgent extends Agent {
  override getName({ serverAddress }: ClientRequestArgs & Addressed = {}): string {
    return serverAddress ? addressKey(serverAddress) : '';
  }

  override createConnection({ serverAddress: address }: ClientRequestArgs & Addressed): Socket {
    if (!address) throw new Error('A site server must have an address.');
    const socket = connect(
      'socketPath' in address ? { path: address.socketPath } : { host: address.host, port: address.port },
    ).setNoDelay(true);
    // A connection to another process of this service begins with that process's key.
    if ('key' in address) socket.write(`${address.key}\n`, 'latin1');
    return socket;
  }
}

/**
 * Creates a new connection for each request, without `connection: close`. With that field, a server that responds
 * before it has read the body would close immediately, and the response could be lost.
 */
class SingleUseConnections extends ServerAgent {
  override keepSocketAlive(): boolean {
    return false;
  }
}

/** Keeps a limited number of idle connections, and closes any on which unexpected data arrives. */
class IdleConnections extends ServerAgent {
  readonly #idle = new Set<Socket>();

  override createConnection(options: ClientRequestArgs & Addressed): Socket {
    const socket = super.createConnection(options);
    return socket.once('close', () => this.#idle.delete(socket));
  }

  override keepSocketAlive(socket: Socket): boolean {
    if (this.#idle.size >= MAX_IDLE_IN_ALL || Reflect.apply(super.keepSocketAlive, this, [socket]) === false)
      return false;
    this.#idle.add(socket);
    socket.on('data', closeConnection);
    return true;
  }

  override reuseSocket(socket: Socket, request: ClientRequest) {
    this.#idle.delete(socket);
    socket.off('data', closeConnection);
    super.reuseSocket(socket, request);
  }

  closeIdle() {
    for (const socket of this.#idle) socket.destroy();
  }
}

function closeConnection(this: Socket) {
  this.destroy();
}

type NodeConnectionOptions = {
  readonly address: ServerAddress;
  readonly agent: Agent;
  readonly canSwitchProtocol: boolean;
  readonly timeouts: ServerTimeouts;
  readonly clock: SilenceClock;
};

class NodeServerConnection implements ServerConnection, Watched {
  onDrain: (() => void) | null = null;
  isHeard = true;
  silentTicks = 0;
  /** Number of consecutive checks that found that nothing was sent or received (`SilenceClock`). */
  #silences = 0;
  #request: ClientRequest | null = null;
  #receiver: ResponseReceiver | null = null;
  #response: IncomingMessage | null = null;
  #socket: Socket | null = null;
  /** The value of the connection's `bytesRead` when this request began. */
  #readBefore = 0;
  /** The value of the connection's `bytesRead` at the last check for the response head. */
  #readLast = 0;
  #interim = 0;
  #isRequestWhole = true;

  constructor(private readonly options: NodeConnectionOptions) {}

  send(head: string, { method, body }: SentRequest, receiver: ResponseReceiver) {
    const { address, agent, clock } = this.options;
    const [line = '', ...fields] = head.trimEnd().split('\r\n');
    this.#receiver = receiver;
    this.#isRequestWhole = body === 'none';
    const options: RequestOptions & Addressed = {
      agent,
      serverAddress: address,
      method,
      path: line.slice(method.length + 1, line.lastIndexOf(' ')),
      headers: fields.flatMap(nameAndValue),
      maxHeaderSize: MAX_HEAD_BYTES,
    };
    this.#request = sendRequest(options)
      .on('socket', this.#onSocket)
      .on('information', this.#onInformation)
      .on('upgrade', this.#onUpgrade)
      .on('response', this.#onResponse)
      .on('drain', () => this.onDrain?.())
      .on('error', this.#onError)
      .on('close', () => this.#fail(this.#closedFault));
    // Turn off Node’s limit on the number of fields, which would silently drop the last ones. The size of the head is
    // limited.
    this.#request.maxHeadersCount = 0;
    clock.watch(this);
    if (body === 'none') this.#request.end();
    else this.#request.flushHeaders();
  }

  write(bytes: Buffer): boolean {
    return this.#receiver !== null && (this.#request?.write(bytes, this.#onTaken) ?? false);
  }

  readonly #onTaken = () => {
    this.isHeard = true;
  };

  finishRequest() {
    this.#isRequestWhole = true;
    this.#request?.end();
  }

  resume() {
    this.#response?.resume();
  }

  destroy() {
    this.#end();
    this.#request?.destroy();
  }

  readonly #onSocket = (socket: Socket) => {
    this.#socket = socket;
    this.#readBefore = this.#readLast = socket.bytesRead;
  };

  readonly #onInformation = () => {
    if (++this.#interim > MAX_INTERIM) this.#failMalformed(MALFORMED.tooManyInterim);
  };

  readonly #onUpgrade = (response: IncomingMessage, socket: Socket, rest: Buffer) => {
    const head = this.#headOf(response);
    if (head === null || !this.options.canSwitchProtocol || !head.isUpgrade) {
      socket.destroy();
      return this.#failMalformed(MALFORMED.wrongProtocol);
    }
    const receiver = this.#end();
    if (receiver) receiver.onSwitch(head, socket, rest);
    else socket.destroy();
  };

  readonly #onResponse = (response: IncomingMessage) => {
    const head = this.#headOf(response);
    if (head === null || !this.#receiver) return void response.resume();
    // Node treats a 101 response that names no protocol as an ordinary response.
    if (head.status === 101) return this.#failMalformed(MALFORMED.wrongProtocol);
    this.isHeard = true;
    this.#silences = 0;
    this.#response = response;
    response.on('data', this.#onBody).once('end', () => this.#onEnd(response));
    // Ignore errors of the response, because a `close` event follows each of them.
    response.on('error', () => undefined);
    this.#receiver.onHead(head);
    this.#receiver?.onPause();
  };

  /** Returns the head. If it is malformed, reports the fault and returns null. */
  #headOf({ httpVersion, statusCode = 0, rawHeaders }: IncomingMessage): ResponseHead | null {
    try {
      if (!/^1\.[01]$/.test(httpVersion) || statusCode < 100 || statusCode > 599)
        throw new MalformedResponseError('The server’s response does not start with a valid HTTP/1.1 head.');
      return evaluateResponseHead(statusCode, httpVersion === '1.0', rawHeaders, this.#request?.method === 'HEAD');
    } catch (error) {
      if (!(error instanceof MalformedResponseError)) throw error;
      this.#failMalformed(error.message);
      return null;
    }
  }

  readonly #onBody = (bytes: Buffer) => {
    this.isHeard = true;
    this.#silences = 0;
    if (this.#receiver?.onBody(bytes) === 'full') this.#response?.pause();
  };

  #onEnd(response: IncomingMessage) {
    if (!response.complete) return this.#fail(FAULTS.closed);
    // If the server has responded before the request was complete, don't send the rest of the request.
    if (!this.#isRequestWhole) this.#request?.destroy();
    this.#end()?.onEnd();
  }

  readonly #onError = (error: NodeJS.ErrnoException & { readonly rawPacket?: unknown }) => {
    // Ignore errors after a complete response, because the data that caused them does not belong to it.
    if (this.#response?.complete) return;
    if (error.syscall === 'connect') return this.#fail(FAULTS.unreachable);
    if (!error.code?.startsWith('HPE_')) return this.#fail(this.#closedFault);
    const isFirst = this.#readBefore === 0 && this.#response === null && this.#interim === 0;
    if (isFirst && Buffer.isBuffer(error.rawPacket) && error.rawPacket[0] === NOT_LISTENING)
      return this.#fail(FAULTS.unreachable);
    const detail =
      error.code === 'HPE_HEADER_OVERFLOW' ? MALFORMED.tooLong : 'The server’s response is not valid HTTP/1.1.';
    // The connection was closed before the head or the body was complete.
    if (error.code === 'HPE_INVALID_EOF_STATE') return this.#fail(FAULTS.closed);
    this.#failMalformed(detail);
  };

  get #closedFault(): ResponseFault {
    const isUnanswered = this.#request?.reusedSocket && this.#socket?.bytesRead === this.#readBefore;
    return isUnanswered ? FAULTS.closedUnanswered : FAULTS.closed;
  }

  onSilence() {
    const { firstByte, idle } = this.options.timeouts;
    this.#silences += 1;
    if (this.#response === null) {
      // Once the first bytes of the head have arrived, allow another `firstByte` timeout for the rest of the head.
      const read = this.#socket?.bytesRead ?? 0;
      const isBegun = read > this.#readLast && this.#readLast === this.#readBefore;
      this.#readLast = read;
      if (isBegun) return;
    }
    // A visitor that stops reading is subject to a separate timeout. While the body arrives, the `idle` timeout
    // applies.
    if (this.#response?.isPaused() || (this.#response !== null && this.#silences * firstByte < idle)) return;
    this.#fail(this.#isRequestWhole || this.#request?.writableNeedDrain ? FAULTS.silent : FAULTS.unsent);
  }

  #failMalformed(detail: string) {
    this.#fail({ kind: 'malformed', detail });
  }

  #fail(fault: ResponseFault) {
    // The response is complete. Its `end` event follows once the receiver has read everything.
    if (this.#response?.complete && fault.kind === 'closed') return;
    const receiver = this.#end();
    if (!receiver) return;
    // Pass on the data that arrived before the fault, which Node has buffered.
    const last: Buffer | null = this.#response?.read() ?? null;
    if (last) receiver.onBody(last);
    this.#request?.destroy();
    receiver.onFault(fault);
  }

  /** Detaches the receiver and returns it, or null if it was already detached. */
  #end(): ResponseReceiver | null {
    const receiver = this.#receiver;
    this.#receiver = null;
    this.onDrain = null;
    this.options.clock.forget(this);
    return receiver;
  }
}

function nameAndValue(field: string): string[] {
  const colon = field.indexOf(': ');
  return [field.slice(0, colon), field.slice(colon + 2)];
}
