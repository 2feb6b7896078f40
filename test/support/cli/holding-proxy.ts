import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Forwards requests to a port of this machine. Never responds to a request that matches `path`. */
export class HoldingProxy {
  private constructor(
    private readonly server: Server,
    /** Resolves when a request that matches `path` has arrived. */
    readonly held: Promise<void>,
  ) {}

  static async open(target: number, path: RegExp): Promise<HoldingProxy> {
    const arrival = Promise.withResolvers<void>();
    const server = createServer((incoming, response) => {
      const { method = 'GET', url = '/', headers } = incoming;
      if (path.test(`${method} ${url}`)) {
        incoming.resume();
        arrival.resolve();
        return;
      }
      const onward = request({ host: '127.0.0.1', port: target, method, path: url, headers }, (upstream) => {
        response.writeHead(upstream.statusCode ?? 502, upstream.headers);
        upstream.pipe(response);
      });
      onward.on('error', () => response.destroy());
      incoming.pipe(onward);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new HoldingProxy(server, arrival.promise);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
