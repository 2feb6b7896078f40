import { connect, type Socket } from 'node:net';

export const TEXT = 1;
export const CLOSE = 8;
export const PING = 9;
export const PONG = 10;

export type RawFrame = { readonly opcode: number; readonly payload: Buffer };

/** A WebSocket without a library. It sends only what a test specifies, and responds to neither ping nor close. */
export class RawWebSocket {
  readonly frames: RawFrame[] = [];
  readonly closed: Promise<void>;
  readonly socket: Socket;
  #received = Buffer.alloc(0);
  #isUpgraded = false;
  readonly #changed: (() => void)[] = [];

  constructor(port: number, path = '/v1/live', headers: readonly string[] = []) {
    this.socket = connect(port, '127.0.0.1').on('error', () => undefined);
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
    const head = ['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13', ...headers];
    this.socket.write(
      `GET ${path} HTTP/1.1\r\nhost: localhost:${port}\r\n${head.join('\r\n')}\r\nsec-websocket-key: ${'A'.repeat(22)}==\r\n\r\n`,
    );
    this.socket.on('data', (bytes: Buffer) => this.#receive(bytes));
  }

  /** Sends `times` copies of a frame in a single write, masked with zeros. The payload is at most 125 bytes long. */
  send(opcode: number, payload: string | Buffer = '', times = 1): this {
    const frame = Buffer.concat([
      Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]),
      Buffer.from(payload),
    ]);
    this.socket.write(Buffer.concat(Array.from({ length: times }, () => frame)));
    return this;
  }

  async first(opcode: number): Promise<RawFrame> {
    for (;;) {
      const found = this.frames.find((frame) => frame.opcode === opcode);
      if (found) return found;
      await new Promise<void>((resolve) => this.#changed.push(resolve));
    }
  }

  async closing(): Promise<number> {
    return (await this.first(CLOSE)).payload.readUInt16BE();
  }

  cut(): void {
    this.socket.destroy();
  }

  #receive(bytes: Buffer) {
    this.#received = Buffer.concat([this.#received, bytes]);
    if (!this.#isUpgraded) {
      const end = this.#received.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.#isUpgraded = true;
      this.#received = this.#received.subarray(end + 4);
    }
    for (let frame = this.#nextFrame(); frame; frame = this.#nextFrame()) this.frames.push(frame);
    for (const tell of this.#changed.splice(0)) tell();
  }

  #nextFrame(): RawFrame | null {
    const [first = 0, short = 0] = this.#received;
    const from = short === 126 ? 4 : 2;
    if (this.#received.length < from) return null;
    const end = from + (short === 126 ? this.#received.readUInt16BE(2) : short);
    if (this.#received.length < end) return null;
    const payload = this.#received.subarray(from, end);
    this.#received = this.#received.subarray(end);
    return { opcode: first & 0x0f, payload };
  }
}
