import type { Writable } from 'node:stream';

export type LiveConnectionOptions = {
  /** The client's socket. */
  readonly socket: Writable;
  /**
   * Connections whose sockets are full. This one adds itself while it is full, so that it can be cut if it stays so.
   */
  readonly slow: Set<Connection>;
  /** Time that the socket may be full before the connection is cut, in milliseconds. Default: `FULL_FOR_MS`. */
  readonly fullForMs?: number;
  /** Called when the socket accepts more bytes again. */
  readonly onDrain: () => void;
  /** Called when the connection has ended, on either side. Not called after `release`. */
  readonly onClose: () => void;
};

/** A client whose socket is full for this long is disconnected. It can resume later. */
const FULL_FOR_MS = 10_000;

/** A client's connection. Callers write bytes that are already framed for its protocol. */
export class Connection {
  /** Time when the socket became full, from `performance.now()`; null if it is not full. */
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

  /** Whether the socket accepts more bytes now. */
  get isReady(): boolean {
    return this.#isOpen && this.fullSince === null && this.options.socket.writable;
  }

  /** Writes to the socket, even if it is full. Does nothing after `release`. */
  write(bytes: Buffer): void {
    const { socket, slow } = this.options;
    if (!this.#isOpen || bytes.length === 0 || !socket.writable || socket.write(bytes)) return;
    this.fullSince ??= performance.now();
    slow.add(this);
  }

  /** Stops writing to the socket and removes the listeners. The socket stays open. */
  release(): void {
    const { socket, slow } = this.options;
    this.#isOpen = false;
    slow.delete(this);
    socket.off('drain', this.#drained);
    socket.off('close', this.#closed);
  }

  /** Whether the socket has been full for longer than `fullForMs`. */
  get isStuck(): boolean {
    const { fullForMs = FULL_FOR_MS } = this.options;
    return this.fullSince !== null && performance.now() - this.fullSince > fullForMs;
  }

  /** Destroys the socket at once, and discards bytes that are not yet sent. */
  cut(): void {
    this.options.socket.destroy();
  }
}
