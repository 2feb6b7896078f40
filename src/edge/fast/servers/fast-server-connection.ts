import { connect, type OnReadOpts, type Socket } from 'node:net';
import type { ServerAddress } from '../../../kernel/ports/served-deploy.js';
import { MalformedResponseError, type ResponseHead } from '../../http/proxy/response-head.js';
import { FAULTS, MALFORMED, type ResponseFault, type ResponseReceiver } from '../../http/proxy/response-receiver.js';
import {
  NOT_LISTENING,
  type SentRequest,
  type ServerConnection,
  type ServerTimeouts,
} from '../../http/proxy/server-connections.js';
import type { SilenceClock, Watched } from '../../http/proxy/silence-clock.js';
import { type Writer, writeAtEndOfTurn } from '../end-of-turn.js';
import { ReadBuffer } from './read-buffer.js';
import { type ResponseEnd, ResponseReader } from './response-reader.js';

export type ConnectionOwner = {
  readonly timeouts: ServerTimeouts;
  /** The clock that enforces the `firstByte` timeout for the responses of site servers. */
  readonly clock: SilenceClock;
  onIdle(connection: FastServerConnection): void;
  onClosed(connection: FastServerConnection): void;
};

const NOTHING = Buffer.alloc(0);

/** A connection to a site server, which handles one request after another. */
export class FastServerConnection implements ServerConnection, Writer, Watched {
  readonly #socket: Socket;
  #receiver: ResponseReceiver | null = null;
  /** The head of a request, which will be written after this turn of the event loop. */
  #waiting = '';
  #reader: ResponseReader | null = null;
  readonly #buffer = new ReadBuffer();
  #isPaused = false;
  #isRequestWhole = true;
  /** Whether the request body is sent in chunks, because its length is unknown. */
  #isChunked = false;
  #isUsed = false;
  isHeard = true;
  silentTicks = 0;
  /** Number of consecutive checks in which the clock found the connection silent. */
  #silences = 0;
  #isOver = false;
  #idleSince = 0;
  #idleUpTo: number;

  constructor(
    readonly address: ServerAddress,
    /** Whether a request may switch to another protocol. If so, the connection is not reused. */
    private readonly canSwitchProtocol: boolean,
    private readonly owner: ConnectionOwner,
  ) {
    this.#idleUpTo = owner.timeouts.firstByte;
    const place = 'socketPath' in address ? { path: address.socketPath } : { host: address.host, port: address.port };
    this.#socket = connect(canSwitchProtocol ? place : { ...place, onread: this.#intoBuffer() })
      .setNoDelay(true)
      .on('data', this.#onData)
      .on('drain', this.#onDrain)
      .on('end', this.#onEnd)
      .on('error', this.#onError)
      .on('close', this.#onClose);
    owner.clock.watch(this);
    // A connection to another process of this service begins with a key that authorizes it.
    if ('key' in address) this.#socket.write(`${address.key}\n`, 'latin1');
  }

  onDrain: (() => void) | null = null;

  /** Reports whether the server has probably not closed the idle connection yet. */
  isFresh(now: number): boolean {
    return !this.#isOver && now - this.#idleSince < this.#idleUpTo;
  }

  /** `method` is needed to read the response, because a response to HEAD has no body. */
  send(head: string, { method, body }: SentRequest, receiver: ResponseReceiver) {
    this.isHeard = true;
    this.#receiver = receiver;
    this.#reader = new ResponseReader(method === 'HEAD', this);
    this.#isRequestWhole = body === 'none';
    this.#isChunked = body === 'in chunks';
    if (body !== 'none') return void this.#socket.write(head, 'latin1');
    this.#waiting = head;
    writeAtEndOfTurn(this);
  }

  writeNow() {
    const text = this.#waiting;
    this.#waiting = '';
    if (!this.#isOver) this.#socket.write(text, 'latin1');
  }

  /** Sends a piece of the request body. If this returns false, wait for `onDrain` before the next call. */
  write(bytes: Buffer): boolean {
    if (this.#isOver) return false;
    if (!this.#isChunked) return this.#socket.write(bytes, this.#onTaken);
    this.#socket.cork();
    this.#socket.write(`${bytes.length.toString(16)}\r\n`, 'latin1');
    this.#socket.write(bytes, this.#onTaken);
    const goesOn = this.#socket.write('\r\n', 'latin1');
    this.#socket.uncork();
    return goesOn;
  }

  readonly #onTaken = () => {
    this.isHeard = true;
  };

  finishRequest() {
    if (this.#isChunked && !this.#isOver) this.#socket.write('0\r\n\r\n', 'latin1');
    this.#isRequestWhole = true;
  }

  resume() {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#buffer.isHeld = false;
    this.#socket.resume();
  }

  /** Closes the connection without notifying the receiver. */
  destroy() {
    this.#receiver = null;
    this.#close();
  }

  /**
   * Makes Node read into a reused buffer, because allocating buffers is half of the cost of forwarding a large body.
   */
  #intoBuffer(): OnReadOpts {
    const callback = (length: number, bytes: Uint8Array) => {
      this.#buffer.isFull = length === bytes.length;
      this.#onData(bytes.subarray(0, length) as Buffer);
      return true;
    };
    return { buffer: () => this.#buffer.next(this.#receiver === null, this.#isPaused), callback };
  }

  readonly #onData = (bytes: Buffer) => {
    try {
      this.#read(bytes);
    } catch (error) {
      if (!(error instanceof MalformedResponseError)) throw error;
      this.#fail({ kind: 'malformed', detail: error.message });
    }
  };

  #read(bytes: Buffer) {
    this.isHeard = true;
    this.#silences = 0;
    // Bytes that arrive while no request is open must not be mistaken for the next response.
    if (!this.#reader) return this.#close();
    if (!this.#isUsed && this.#reader.isUntouched && bytes[0] === NOT_LISTENING) return this.#fail(FAULTS.unreachable);
    const end = this.#reader.read(bytes);
    if (!this.#receiver) return;
    if (end?.head.status === 101) this.#switch(end);
    else if (end) this.#end(end);
    else if (this.#reader.headTook > this.owner.timeouts.firstByte) this.#fail(FAULTS.silent);
    else this.#receiver.onPause();
  }

  onHead(head: ResponseHead) {
    this.#receiver?.onHead(head);
  }

  onBody(bytes: Buffer) {
    const taken = this.#receiver?.onBody(bytes) ?? 'sent';
    if (taken === 'sent') return;
    this.#buffer.isHeld = true;
    if (taken === 'queued' || this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
  }

  #switch({ head, rest }: ResponseEnd) {
    const receiver = this.#receiver;
    if (!this.canSwitchProtocol || !head.isUpgrade) throw new MalformedResponseError(MALFORMED.wrongProtocol);
    this.#isOver = true;
    this.#receiver = null;
    this.#release();
    this.owner.onClosed(this);
    receiver?.onSwitch(head, this.#socket, rest);
  }

  #end({ head, rest }: ResponseEnd) {
    const receiver = this.#receiver;
    this.#receiver = null;
    this.#reader = null;
    this.onDrain = null;
    const isKept = rest.length === 0 && this.#isRequestWhole && head.keepAlive && !this.#isOver;
    if (isKept) this.#beIdle(head.keepAliveMs);
    else this.#close();
    receiver?.onEnd();
  }

  #beIdle(keptMs: number | null) {
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#socket.resume();
    }
    this.#isUsed = true;
    this.#idleSince = performance.now();
    // Subtract a second from the keep-alive time that the server announced, so that a request arrives before the server
    // closes the connection.
    if (keptMs !== null) this.#idleUpTo = Math.min(this.owner.timeouts.firstByte, keptMs - 1_000);
    this.owner.onIdle(this);
  }

  #fail(fault: ResponseFault) {
    const receiver = this.#receiver;
    this.#receiver = null;
    this.#close();
    receiver?.onFault(fault);
  }

  readonly #onDrain = () => this.onDrain?.();

  readonly #onEnd = () => {
    const head = this.#reader?.head;
    if (head?.framing.kind === 'until closed') this.#end({ head, rest: NOTHING });
    else this.#broken();
  };

  readonly #onError = (error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'connect') return this.#broken();
    this.#fail(FAULTS.unreachable);
  };

  #broken() {
    this.#fail(this.#isUsed && this.#reader?.isUntouched ? FAULTS.closedUnanswered : FAULTS.closed);
  }

  onSilence() {
    const { firstByte, idle } = this.owner.timeouts;
    this.#silences += 1;
    // A paused connection waits for its visitor, who has a separate timeout, so it does not time out here. Once the
    // head of the response has arrived, the `idle` timeout applies.
    if (this.#isPaused || (this.#reader?.head && this.#silences * firstByte < idle)) return;
    this.#fail(this.#isRequestWhole || this.#socket.writableLength > 0 ? FAULTS.silent : FAULTS.unsent);
  }

  readonly #onClose = () => this.#broken();

  #close() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.owner.clock.forget(this);
    this.#socket.destroy();
    this.owner.onClosed(this);
  }

  #release() {
    this.owner.clock.forget(this);
    this.#socket
      .off('data', this.#onData)
      .off('drain', this.#onDrain)
      .off('end', this.#onEnd)
      .off('error', this.#onError)
      .off('close', this.#onClose);
  }
}
