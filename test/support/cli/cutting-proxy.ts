import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Forwards connections to a port of this machine, counts the bytes that clients send, and can hold or cut all connections. */
export class CuttingProxy {
  readonly port: number;
  #sent = 0;
  readonly #sockets = new Set<Socket>();
  readonly #pairs = new Map<Socket, Socket>();
  readonly #server: ReturnType<typeof createServer>;
  #threshold: { readonly bytes: number; readonly reach: () => void } | null = null;

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  static async open(target: number): Promise<CuttingProxy> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const proxy = new CuttingProxy(server);
    server.on('connection', (client) => proxy.#pass(client, target));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Number of bytes that clients have sent so far, including request headers. */
  get sent(): number {
    return this.#sent;
  }

  /** Resolves when clients have sent this many more bytes. */
  async sends(bytes: number): Promise<void> {
    await new Promise<void>((reach) => {
      this.#threshold = { bytes: this.#sent + bytes, reach };
    });
  }

  /** Stops passing on what clients send, until `release` is called. */
  hold(): void {
    for (const [client, service] of this.#pairs) client.unpipe(service).pause();
  }

  release(): void {
    for (const [client, service] of this.#pairs) client.pipe(service);
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #pass(client: Socket, target: number): void {
    const service = connect(target, '127.0.0.1');
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (chunk) => {
      this.#sent += chunk.length;
      if (!this.#threshold || this.#sent < this.#threshold.bytes) return;
      const { reach } = this.#threshold;
      this.#threshold = null;
      reach();
    });
    this.#pairs.set(client, service);
    client.on('close', () => this.#pairs.delete(client));
    client.pipe(service);
    service.pipe(client);
  }
}
