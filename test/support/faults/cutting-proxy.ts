import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Maximum number of bytes after which a connection is cut: several frames, and a part of another one. */
const MOST_BYTES = 150_000;

/**
 * Size of response headers in bytes. Connections are not cut within this size, because Chromium treats partial headers
 * as complete and does not reconnect.
 */
const HEAD_BYTES = 4_096;

/** A network that cuts up to `most` connections, each after a random number of bytes, in the middle of a frame. */
export class CuttingProxy {
  cuts = 0;
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    /** Returns the service's port. Connections are forwarded once this promise has resolved. */
    private readonly service: () => Promise<number>,
    private readonly most: number,
  ) {
    server.on('connection', (socket) => void this.#join(socket));
  }

  static async open(service: () => Promise<number>, most: number): Promise<CuttingProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new CuttingProxy(server, service, most);
  }

  get port() {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async #join(client: Socket) {
    this.#keep(client);
    const service = connect(await this.service(), '127.0.0.1');
    this.#keep(service);
    client.pipe(service);
    let left = HEAD_BYTES + Math.floor(Math.random() * MOST_BYTES);
    service.on('data', (bytes: Buffer) => {
      left -= bytes.length;
      if (left > 0 || this.cuts >= this.most) return void client.write(hurried(bytes));
      this.cuts++;
      service.destroy();
      client.write(hurried(bytes.subarray(0, bytes.length + left)), () => client.destroy());
    });
    service.on('close', () => client.end());
    client.on('close', () => service.destroy());
  }

  #keep(socket: Socket) {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }
}

/** Shortens the browsers' reconnect delay of two seconds, because a test makes a hundred cuts. */
function hurried(bytes: Buffer): Buffer {
  const at = bytes.subarray(0, 4_096).indexOf('retry: 2000\n');
  if (at >= 0) bytes.write('retry: 0020\n', at);
  return bytes;
}
