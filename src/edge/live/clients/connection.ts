import type { Writable } from 'node:stream';

export type LiveConnectionOptions = {
  readonly socket: Writable;
  /** Connections whose sockets are full. Each connection adds itself, and is closed if its socket stays full. */
  readonly slow: Set<Connection>;
  /** Maximum time for which the socket may be full before the connection is closed. Default: `FULL_FOR_MS`. */
  readonly fullForMs?: number;
  readonly onDrain: () => void;
  /** Called when the connection has ended on either side, except after `release`. */
  readonly onClose: () => void;
};

/** A client whose socket is full for this long is disconnected. It can resume later. */
const FULL_FOR_MS = 10_000;

/** A client's connection. The caller frames bytes for the protocol before writing them. */
export class Connection {
  /** When the socket became full, as returned by `performance.now()`; null if it is not full. */
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

  /** Removes the listeners, but keeps the socket open. */
  release(): void {
    const { socket, slow } = this.options;
    this.#isOpen = false;
    slow.delete(this);
    socket.off('drain', this.#drained);
    socket.off('close', this.#closed);
  }

  get isStuck(): boolean {
    const { fullForMs = FULL_FOR_MS } = this.options;
    return this.fullSince !== null && performance.now() - this.fullSince > fullForMs;
  }

  /** Destroys the socket and discards bytes that have not been sent. */
  cut(): void {
    this.options.socket.destroy();
  }
}
