import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** An HTTP proxy for all of a browser's traffic. Tests can cut it off and restore it. */
export class BreakableNetwork {
  readonly #sockets = new Set<Socket>();
  #isDown = false;

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      if (this.#isDown) return void socket.destroy();
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async open(): Promise<BreakableNetwork> {
    const server = createServer((asked, answer) => {
      const { url = '', method = 'GET', headers } = asked;
      const { port, pathname, search } = new URL(url);
      const options = { host: '127.0.0.1', port, path: pathname + search, method, headers };
      const onward = request(options, (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      });
      onward.on('error', () => answer.destroy());
      answer.on('close', () => onward.destroy());
      asked.pipe(onward);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new BreakableNetwork(server);
  }

  /** Proxy options for `newContext`. They also route loopback addresses through the proxy. */
  get proxy() {
    return { server: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`, bypass: '<-loopback>' };
  }

  /** Breaks every connection, and refuses new ones until `mend` is called. */
  cut(): void {
    this.#isDown = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isDown = false;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
