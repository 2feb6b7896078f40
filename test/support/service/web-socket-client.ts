import { WebSocket } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: each test knows the type of its messages
type Message = any;

export class WebSocketClient {
  readonly messages: Message[] = [];
  /** Resolves to the close code, or to the HTTP status of a refused handshake. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  readonly #changed: (() => void)[] = [];
  readonly #early: (string | Buffer)[] = [];

  constructor(url: string, headers: Record<string, string> = {}) {
    this.#socket = new WebSocket(url.replace(/^http/, 'ws'), { headers });
    this.#socket.on('open', () => {
      for (const bytes of this.#early) this.#socket.send(bytes);
    });
    this.#socket.on('message', (data) => {
      this.messages.push(JSON.parse(String(data)));
      for (const tell of this.#changed.splice(0)) tell();
    });
    this.closed = new Promise((resolve) => {
      this.#socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode ?? 0));
      this.#socket.on('close', (code) => resolve(code));
      this.#socket.on('error', () => undefined);
    });
  }

  say(what: object | string | Buffer): this {
    const bytes = typeof what === 'string' || Buffer.isBuffer(what) ? what : JSON.stringify(what);
    if (this.#socket.readyState === WebSocket.CONNECTING) this.#early.push(bytes);
    else if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(bytes);
    return this;
  }

  async until(isSo: (message: Message) => boolean): Promise<Message[]> {
    for (;;) {
      const found = this.messages.findIndex(isSo);
      if (found >= 0) return this.messages.slice(0, found + 1);
      await new Promise<void>((resolve) => this.#changed.push(resolve));
    }
  }

  cut(): void {
    this.#socket.terminate();
  }

  close(): void {
    this.#socket.close();
  }
}
