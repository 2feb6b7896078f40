import type { Writable } from 'node:stream';

export type LiveConnectionOptions = {
  /** The client's socket. */
  readonly socket: Writable;
  /** Connections whose sockets are full. This one enters it while it is, so that one that stays full can be cut. */
  readonly slow: Set<Connection>;
  /** For how long it may be full before it is cut, in milliseconds; ten seconds where that is left out. */
  readonly fullForMs?: number;
  /** Called when the socket takes more again. */
  readonly onDrain: () => void;
  /** Called when the connection is gone, whichever side ended it. Not called after `release`. */
  readonly onClose: () => void;
};

/** A client whose socket is full for so long is disconnected; it resumes when it can. Milliseconds. */
const FULL_FOR_MS = 10_000;

/** A client's connection, written to directly: what is written is framed for its protocol already. */
export class Connection {
  /** When the socket became full, as `performance.now()`; null while it takes more. */
  fullSince: number | null = null;
  #isOpen = true;
  readonly #drained = () => {
    this.fullSince = null;
    this.options.slow.delete(this);
    this.options.onDrain();
  };
  readonly #closed = () => {
    this.release();
    this.options.onClose();
  };

  constructor(private readonly options: LiveConnectionOptions) {
    options.socket.on('drain', this.#drained);
    options.socket.once('close', this.#closed);
  }

  /** Whether it takes more now. */
  get isReady(): boolean {
    return this.#isOpen && this.fullSince === null && this.options.socket.writable;
  }

  /** Writes to the socket, also while it is full; nothing after `release`. */
  write(bytes: Buffer): void {
    const { socket, slow } = this.options;
    if (!this.#isOpen || bytes.length === 0 || !socket.writable || socket.write(bytes)) return;
    this.fullSince ??= performance.now();
    slow.add(this);
  }

  /** Stops writing to the socket and listening to it; it stays open. */
  release(): void {
    const { socket, slow } = this.options;
    this.#isOpen = false;
    slow.delete(this);
    socket.off('drain', this.#drained);
    socket.off('close', this.#closed);
  }

  /** Whether it has been full for longer than it may be. */
  get isStuck(): boolean {
    const { fullForMs = FULL_FOR_MS } = this.options;
    return this.fullSince !== null && performance.now() - this.fullSince > fullForMs;
  }

  /** Ends the connection at once, with what it has not taken yet. */
  cut(): void {
    this.options.socket.destroy();
  }
}
