import { connect, type Socket } from 'node:net';
import type { ProgramAddress } from '../../kernel/ports/site-servers.js';
import { type AnswerHead, HEAD_UP_TO, MalformedAnswer, readAnswerHead } from './answer-head.js';
import { ChunkedBody } from './chunked-body.js';

/** How long a program may take, in milliseconds. */
export type ProgramTimeouts = {
  /** Until its head is here, and until it takes more of a request. */
  readonly firstByte: number;
  /** Between two pieces of a body. */
  readonly idle: number;
};

/**
 * Why there is no whole answer. `closed unanswered`: a connection that was used before ended without a byte, as happens
 * when the program closes what it has not used for a while; a request that is harmless to repeat goes to another one.
 * `visitor silent`: the rest of the request does not come.
 */
export type ProgramFault = {
  readonly kind: 'unreachable' | 'closed' | 'closed unanswered' | 'malformed' | 'timeout' | 'visitor silent';
  readonly detail: string;
};

/** Who receives one answer. */
export type AnswerReceiver = {
  /** Before its body; once. */
  onHead(head: AnswerHead): void;
  /** False where it is to wait until `resume` is called. */
  onBody(bytes: Buffer): boolean;
  /** All that has arrived so far was given: nothing is to be held back for more. */
  onPause(): void;
  onEnd(): void;
  /** The program goes on in another protocol: from now on the connection is the receiver’s. `rest` came with the head. */
  onSwitch(head: AnswerHead, socket: Socket, rest: Buffer): void;
  /** In the place of all further calls. The connection is gone. */
  onFault(fault: ProgramFault): void;
};

const CLOSED = { kind: 'closed', detail: 'It closed the connection before its answer was whole.' } as const;
const UNANSWERED = { kind: 'closed unanswered', detail: 'It closed the connection without an answer.' } as const;
const UNSENT = { kind: 'visitor silent', detail: 'The rest of the request did not come.' } as const;
const SILENT = { kind: 'timeout', detail: 'It did not answer in time.' } as const;

/** An answer may be announced so often (RFC 9110 section 15.2). */
const INTERIM_UP_TO = 16;

const END = '\r\n\r\n';

/** One connection to a program, which answers one request after another. */
export class ProgramConnection {
  readonly #socket: Socket;
  #receiver: AnswerReceiver | null = null;
  #isAnswerToHead = false;
  /** Whether it was asked to go on in another protocol. */
  #maySwitch = false;
  /** Of a head that is not whole. */
  #partial: Buffer | null = null;
  #partialSince = 0;
  #interim = 0;
  #head: AnswerHead | null = null;
  /** Of a body of known length: what is to come. */
  #left = 0;
  #chunks: ChunkedBody | null = null;
  #isPaused = false;
  #isRequestWhole = true;
  #isUsed = false;
  #isSlow = false;
  #isOver = false;
  /** When it was last given back, by `performance.now()`. */
  #idleSince = 0;
  #idleUpTo: number;

  constructor(
    address: ProgramAddress,
    private readonly timeouts: ProgramTimeouts,
    /** Called when another request may be sent, and at its end. */
    private readonly onIdle: (connection: ProgramConnection) => void,
    private readonly onClosed: (connection: ProgramConnection) => void,
  ) {
    this.#idleUpTo = timeouts.firstByte;
    this.#socket = connect(
      'socketPath' in address ? { path: address.socketPath } : { host: address.host, port: address.port },
    )
      .setNoDelay(true)
      .setTimeout(timeouts.firstByte)
      .on('data', this.#onData)
      .on('drain', this.#onDrain)
      .on('end', this.#onEnd)
      .on('error', this.#onError)
      .on('timeout', this.#onTimeout)
      .on('close', this.#onClose);
    // How a connection to another process of the service begins.
    if ('key' in address) this.#socket.write(`${address.key}\n`, 'latin1');
  }

  /** Called when more of a body may be written. */
  onDrain: (() => void) | null = null;

  /** Whether it has answered a request before. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Whether the program is likely to keep it open still. */
  isFresh(now: number): boolean {
    return !this.#isOver && now - this.#idleSince < this.#idleUpTo;
  }

  /** Sends the head of a request. `method` decides how the answer is read. */
  send(
    head: string,
    asked: { readonly method: string; readonly maySwitch: boolean; readonly hasBody: boolean },
    receiver: AnswerReceiver,
  ) {
    this.#receiver = receiver;
    this.#isAnswerToHead = asked.method === 'HEAD';
    this.#maySwitch = asked.maySwitch;
    this.#isRequestWhole = !asked.hasBody;
    this.#interim = 0;
    this.#socket.write(head, 'latin1');
  }

  /** Sends a piece of the body; false where the next is to wait for `onDrain`. */
  write(bytes: Buffer | string): boolean {
    return !this.#isOver && this.#socket.write(bytes);
  }

  /** The body is whole. */
  finishRequest() {
    this.#isRequestWhole = true;
  }

  /** More of the answer may come. */
  resume() {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  /** Ends it without a word to the receiver. */
  destroy() {
    this.#receiver = null;
    this.#close();
  }

  readonly #onData = (bytes: Buffer) => {
    try {
      this.#read(bytes);
    } catch (error) {
      if (!(error instanceof MalformedAnswer)) throw error;
      this.#fail({ kind: 'malformed', detail: error.message });
    }
  };

  #read(bytes: Buffer) {
    // Nothing was asked: it is not to be taken for the answer to what is asked next.
    if (!this.#receiver) return this.#close();
    const rest = this.#head ? bytes : this.#readHead(bytes);
    if (rest === null || !this.#receiver) return;
    if (this.#head) this.#readBody(rest);
    if (this.#receiver !== null) this.#receiver.onPause();
  }

  /** What comes after the head; null where it is not whole, or nothing more is to be read here. */
  #readHead(bytes: Buffer): Buffer | null {
    let all = bytes;
    let from = 0;
    if (this.#partial) {
      from = Math.max(0, this.#partial.length - END.length);
      all = Buffer.concat([this.#partial, bytes]);
    }
    for (;;) {
      const end = all.indexOf(END, from, 'latin1');
      const length = end < 0 ? all.length : end + END.length;
      if (length > HEAD_UP_TO) throw new MalformedAnswer('The head of its answer is too long.');
      if (end < 0) return this.#keepPartial(all);
      const head = readAnswerHead(all.toString('latin1', 0, length), this.#isAnswerToHead);
      const rest = all.subarray(length);
      this.#partial = null;
      if (head.status === 101) return this.#switch(head, rest);
      if (head.status >= 200) {
        this.#begin(head);
        return rest;
      }
      // What announces an answer is not passed on.
      if (++this.#interim > INTERIM_UP_TO) throw new MalformedAnswer('It announces its answer without end.');
      all = rest;
      from = 0;
      if (rest.length === 0) return null;
    }
  }

  #keepPartial(all: Buffer): null {
    const now = performance.now();
    if (this.#partial === null) this.#partialSince = now;
    else if (now - this.#partialSince > this.timeouts.firstByte) {
      this.#fail(SILENT);
      return null;
    }
    // Of the program’s own, such as garbage without an end: what is no head is seen before all of it has come.
    if (!'HTTP/1.'.startsWith(all.toString('latin1', 0, 7))) throw new MalformedAnswer('Its answer is not HTTP/1.1.');
    this.#partial = all;
    return null;
  }

  #switch(head: AnswerHead, rest: Buffer): null {
    const receiver = this.#receiver;
    if (!this.#maySwitch || !receiver) throw new MalformedAnswer('It goes on in a protocol that was not asked for.');
    this.#isOver = true;
    this.#receiver = null;
    this.#release();
    this.onClosed(this);
    receiver.onSwitch(head, this.#socket, rest);
    return null;
  }

  #begin(head: AnswerHead) {
    this.#head = head;
    const { framing } = head;
    if (framing.kind === 'length') this.#left = framing.length;
    else if (framing.kind === 'chunked') this.#chunks = new ChunkedBody();
    this.#receiver?.onHead(head);
  }

  #readBody(bytes: Buffer) {
    switch (this.#head?.framing.kind) {
      case 'none':
        return this.#end(bytes.length === 0);
      case 'length': {
        const piece = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
        this.#left -= piece.length;
        if (piece.length > 0) this.#give(piece);
        return this.#left === 0 ? this.#end(piece.length === bytes.length) : this.#goOn();
      }
      case 'chunked': {
        const read = this.#chunks?.read(bytes, this.#give) ?? null;
        return read === null ? this.#goOn() : this.#end(read === bytes.length);
      }
      default:
        if (bytes.length > 0) this.#give(bytes);
        return this.#goOn();
    }
  }

  readonly #give = (bytes: Buffer) => {
    if (!this.#receiver || this.#receiver.onBody(bytes) || this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
  };

  #goOn() {
    if (this.#isSlow) return;
    this.#isSlow = true;
    this.#socket.setTimeout(this.timeouts.idle);
  }

  /** `isExact`: nothing came after the answer, which would be an answer to nothing. */
  #end(isExact: boolean) {
    const receiver = this.#receiver;
    const head = this.#head;
    this.#receiver = null;
    this.#head = null;
    this.#chunks = null;
    this.onDrain = null;
    const isKept = isExact && this.#isRequestWhole && head?.keepAlive === true && !this.#isOver;
    if (isKept) this.#beIdle(head.keepAliveMs);
    else this.#close();
    receiver?.onEnd();
  }

  #beIdle(keptMs: number | null) {
    if (this.#isSlow) {
      this.#isSlow = false;
      this.#socket.setTimeout(this.timeouts.firstByte);
    }
    this.resume();
    this.#isUsed = true;
    this.#idleSince = performance.now();
    // A second less than the program says: what is sent to it then is to arrive in time.
    if (keptMs !== null) this.#idleUpTo = Math.min(this.timeouts.firstByte, keptMs - 1_000);
    this.onIdle(this);
  }

  #fail(fault: ProgramFault) {
    const receiver = this.#receiver;
    this.#receiver = null;
    this.#close();
    receiver?.onFault(fault);
  }

  readonly #onDrain = () => this.onDrain?.();

  readonly #onEnd = () => {
    if (this.#head?.framing.kind === 'until closed') this.#end(true);
    else this.#broken();
  };

  readonly #onError = (error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'connect') return this.#broken();
    this.#fail({ kind: 'unreachable', detail: 'Nothing listens where it should.' });
  };

  #broken() {
    const isUnanswered = this.#isUsed && this.#head === null && this.#partial === null && this.#interim === 0;
    this.#fail(isUnanswered ? UNANSWERED : CLOSED);
  }

  readonly #onTimeout = () => {
    // It waits for its visitor, who has a time-out of their own.
    if (this.#isPaused) return void this.#socket.setTimeout(this.timeouts.idle);
    this.#fail(this.#isRequestWhole || this.#socket.writableLength > 0 ? SILENT : UNSENT);
  };

  readonly #onClose = () => this.#broken();

  #close() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket.destroy();
    this.onClosed(this);
  }

  #release() {
    this.#socket
      .off('data', this.#onData)
      .off('drain', this.#onDrain)
      .off('end', this.#onEnd)
      .off('error', this.#onError)
      .off('timeout', this.#onTimeout)
      .off('close', this.#onClose);
  }
}
