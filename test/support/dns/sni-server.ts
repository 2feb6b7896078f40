import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createSecureContext, createServer, type Server, type TlsOptions } from 'node:tls';

/** A TLS server on loopback with a certificate for each name under stele.test, except those in `refused`. */
export class SniServer {
  /** Server names of the handshakes, in order. */
  readonly asked: string[] = [];
  readonly refused = new Set<string>();
  readonly #server: Server;

  private constructor(options: TlsOptions) {
    const pem = readFileSync('test/fixtures/stele.test.pem');
    const context = createSecureContext({ key: pem, cert: pem });
    this.#server = createServer({
      ...options,
      ...{ key: pem, cert: pem },
      SNICallback: (name, done) => {
        this.asked.push(name);
        if (this.refused.has(name)) done(new Error('No certificate.'));
        else done(null, context);
      },
    });
    this.#server.on('tlsClientError', () => undefined);
    this.#server.on('secureConnection', (socket) => socket.on('error', () => undefined));
  }

  static async start(options: TlsOptions = {}): Promise<SniServer> {
    const server = new SniServer(options);
    await once(server.#server.listen(0, '127.0.0.1'), 'listening');
    return server;
  }

  get at() {
    return { host: '127.0.0.1', port: (this.#server.address() as AddressInfo).port };
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }
}
