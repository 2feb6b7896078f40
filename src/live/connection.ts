import type { Socket } from 'node:net';

/** A client's connection, written to directly: what is written was framed for its protocol before. */
export class Line {
  /** When its socket last became full (`performance.now`); null while it takes more. */
  fullSince: number | null = null;
  #isOpen = true;
  readonly #onRoom = () => {
    this.fullSince = null;
    this.slow.delete(this);
    this.hasRoom();
  };
  readonly #onClose = () => {
    this.release();
    this.closed();
  };

  constructor(
    private readonly socket: Socket,
    /** Where it stands while it is full, so that somebody looks how long. */
    private readonly slow: Set<Line>,
    /** The socket takes more again. */
    private readonly hasRoom: () => void,
    /** The connection is gone, whoever ended it. Not called after `release`. */
    private readonly closed: () => void,
  ) {
    socket.on('drain', this.#onRoom);
    socket.once('close', this.#onClose);
  }

  /** Whether it takes more now. */
  get isReady(): boolean {
    return this.#isOpen && this.fullSince === null && this.socket.writable;
  }

  write(bytes: Buffer): void {
    if (!this.#isOpen || bytes.length === 0 || !this.socket.writable || this.socket.write(bytes)) return;
    this.fullSince ??= performance.now();
    this.slow.add(this);
  }

  /** Leaves the connection to whoever had it. */
  release(): void {
    this.#isOpen = false;
    this.slow.delete(this);
    this.socket.off('drain', this.#onRoom);
    this.socket.off('close', this.#onClose);
  }

  /** Ends the connection at once, with whatever it has not taken. */
  cut(): void {
    this.socket.destroy();
  }
}
