import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { LayOut } from '../../../kernel/ports/sendfile.js';
import { PatientResponse } from '../draining-response.js';
import type { AnswerAtHand } from './cached-response.js';
import { headersOf, type PlainRequest, plainRequest } from './plain-request.js';
import { type ReadyAnswer, ReadyAnswers } from './response-cache.js';

/** Who answers in the lane. */
export type Keeper = {
  /** The whole answer where it is at hand, else null. */
  atHand(request: PlainRequest): AnswerAtHand | null;
  /** Answers, or says `false`, has touched nothing, and leaves the request to others. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
};

type Surroundings = {
  readonly keeper: Keeper;
  /** Takes a connection whose first bytes are still to be read. */
  readonly handOver: (socket: Socket) => void;
  /** How long a connection may be silent before its first request, and after an answer. Milliseconds. */
  readonly firstMs: number;
  readonly keepAliveMs: number;
  /** Where what is asked for often is sent from. */
  readonly layOut: LayOut;
};

const CLOSE = 'Connection: close\r\n\r\n';
const keepAlive = (ms: number) => `Connection: keep-alive\r\nKeep-Alive: timeout=${ms / 1_000}\r\n\r\n`;

/** A client that takes no byte of an answer for so long is let go, in milliseconds. */
const STALLED_MS = 20_000;

/** Not what any timeout is. */
const UNKNOWN = -1;

/**
 * Where connections begin. As long as they ask plainly, and for hosted sites, they are answered here: Node’s own parser,
 * request and response cost more than finding a page does (decision 0046). The first request that is anything else takes
 * its connection to Node’s HTTP server, which reads the same bytes, and where it stays.
 */
export class QuickLane {
  readonly #connections = new Set<Connection>();
  readonly #ready: ReadyAnswers;
  #isClosing = false;

  constructor(private readonly surroundings: Surroundings) {
    this.#ready = new ReadyAnswers(keepAlive(surroundings.keepAliveMs), surroundings.layOut);
  }

  take(socket: Socket) {
    const connection = new Connection(
      socket,
      this.surroundings,
      this.#ready,
      () => this.#isClosing,
      () => this.#connections.delete(connection),
    );
    this.#connections.add(connection);
  }

  /** From now on each connection ends with the answer that is under way; those without one end at once. */
  close() {
    this.#isClosing = true;
    for (const connection of this.#connections) connection.endIfIdle();
  }
}

class Connection {
  #response: ServerResponse | null = null;
  /** Came while an answer was under way, or not taken yet. */
  #waiting: Buffer | null = null;
  /** It will send nothing more. */
  #isHalf = false;
  #timeout: number;

  constructor(
    private readonly socket: Socket,
    private readonly lane: Surroundings,
    private readonly ready: ReadyAnswers,
    private readonly isClosing: () => boolean,
    private readonly left: () => void,
  ) {
    this.#timeout = lane.firstMs;
    socket
      .on('data', this.#hear)
      .on('end', this.#ended)
      .on('error', this.#failed)
      .on('timeout', this.#late)
      .on('drain', this.#drained)
      .on('close', left)
      .setTimeout(this.#timeout);
  }

  endIfIdle() {
    if (this.#response || this.socket.writableLength > 0) return;
    // What it sends from now on nobody reads: closed at once, it would be reset.
    this.socket.end();
  }

  readonly #hear = (bytes: Buffer) => {
    // What comes behind the last request is read, so that its answer arrives, and not looked at.
    if (this.socket.writableEnded) return;
    // Who asks on without taking what was answered is not heard: answers would pile up here.
    if (this.#response || this.socket.writableNeedDrain) {
      this.#waiting = bytes;
      this.socket.pause();
      return;
    }
    const request = plainRequest(bytes);
    if (!request) return this.#handOver(bytes);
    const isLast = !request.keepAlive || this.isClosing();
    const answer = this.lane.keeper.atHand(request);
    if (!answer) return this.#answer(request, isLast, bytes);
    this.#send(answer, isLast);
    if (isLast) this.socket.end();
    this.#wait();
  };

  #send(answer: AnswerAtHand, isLast: boolean) {
    const { socket, ready } = this;
    const whole = isLast ? null : ready.of(answer);
    if (whole) return this.#sendReady(whole);
    const { head, body } = answer;
    const text = head + ready.date + (isLast ? CLOSE : ready.ending);
    if (body === null) socket.write(text, 'latin1');
    else if (typeof body === 'string') socket.write(text + body, 'latin1');
    else {
      socket.cork();
      socket.write(text, 'latin1');
      socket.write(body);
      socket.uncork();
    }
  }

  #sendReady({ bytes, laidOut }: ReadyAnswer) {
    const { socket } = this;
    // What was written before and has not left goes first.
    const sent = laidOut && socket.writableLength === 0 ? laidOut.sendTo(descriptorOf(socket)) : 0;
    if (sent < bytes.length) socket.write(sent === 0 ? bytes : bytes.subarray(sent));
  }

  /** By those who need Node’s objects, and time. */
  #answer(plain: PlainRequest, isLast: boolean, bytes: Buffer) {
    const headers = headersOf(plain.rawHeaders);
    if (!headers) return this.#handOver(bytes);
    const request = new IncomingMessage(this.socket);
    const { method, url, rawHeaders } = plain;
    Object.assign(request, { method, url, rawHeaders, headers, httpVersion: '1.1', complete: true });
    request.httpVersionMajor = 1;
    request.httpVersionMinor = 1;
    request.push(null);

    const response = new PatientResponse(request);
    response.shouldKeepAlive = !isLast;
    response.assignSocket(this.socket);
    this.#response = response;
    response.once('finish', () => this.#answered(response));
    if (this.lane.keeper.answer(request, response)) return;
    this.#response = null;
    response.removeAllListeners();
    response.detachSocket(this.socket);
    this.#handOver(bytes);
  }

  #answered(response: ServerResponse) {
    const { socket } = this;
    this.#response = null;
    if (response.destroyed) return;
    const isLast = !response.shouldKeepAlive || this.isClosing() || this.#isHalf;
    response.detachSocket(socket);
    // Node’s server says so, and whoever streams waits for it.
    process.nextTick(() => response.emit('close'));
    if (isLast) return void socket.end();
    this.#timeout = UNKNOWN; // others have set it meanwhile
    this.#wait();
    this.#goOn();
  }

  /** With what came meanwhile. */
  #goOn() {
    const { socket } = this;
    if (!this.#waiting) return;
    const bytes = this.#waiting;
    this.#waiting = null;
    // In a turn of its own: a client that sends many requests at once is no reason to keep others waiting.
    setImmediate(() => {
      if (socket.destroyed) return;
      socket.resume();
      this.#hear(bytes);
    });
  }

  /** For the next request, or for the rest of an answer to leave. */
  #wait() {
    const timeout = this.socket.writableLength > 0 ? STALLED_MS : this.lane.keepAliveMs;
    if (timeout === this.#timeout) return;
    this.#timeout = timeout;
    this.socket.setTimeout(timeout);
  }

  readonly #late = () => {
    if (this.#response) return void this.#response.emit('timeout');
    const hadTaken = this.socket.writableLength === 0;
    if (this.#timeout !== STALLED_MS || !hadTaken) return void this.socket.destroy();
    // All has left meanwhile: it was silence and no stall.
    this.#timeout = UNKNOWN;
    this.socket.setTimeout(this.lane.keepAliveMs - STALLED_MS);
  };

  readonly #drained = () => {
    if (this.#response) this.#response.emit('drain');
    else this.#goOn();
  };

  readonly #ended = () => {
    this.#isHalf = true;
    if (!this.#response) this.socket.end();
  };

  readonly #failed = () => void this.socket.destroy();

  #handOver(bytes: Buffer) {
    const { socket } = this;
    this.left();
    socket
      .off('data', this.#hear)
      .off('end', this.#ended)
      .off('error', this.#failed)
      .off('timeout', this.#late)
      .off('drain', this.#drained)
      .off('close', this.left)
      .setTimeout(0);
    socket.pause();
    socket.unshift(bytes);
    this.lane.handOver(socket);
    socket.resume();
  }
}

/** Of the connection, for the operating system; −1 where there is none, or none any more. Node has no public name for it. */
function descriptorOf(socket: Socket): number {
  const { fd } = Reflect.get(socket, '_handle') ?? {};
  return typeof fd === 'number' ? fd : -1;
}
