import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';

/** A self-signed certificate for `localhost`. Processes trust it if NODE_EXTRA_CA_CERTS is set to this path. */
export const DOCUMENT_CA = resolve('test/fixtures/localhost.test.pem');

export class ClientDocumentHost {
  readonly paths = new Map<string, (response: ServerResponse, address: string) => void>();
  readonly asked: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async open(): Promise<ClientDocumentHost> {
    const pem = await readFile(DOCUMENT_CA);
    const server = createServer({ key: pem, cert: pem });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const host = new ClientDocumentHost(server, (server.address() as AddressInfo).port);
    server.on('request', ({ url = '' }, response) => {
      host.asked.push(url);
      const answer = host.paths.get(url);
      if (answer) answer(response, host.at(url));
      else response.writeHead(404).end();
    });
    return host;
  }

  at(path: string) {
    return `https://localhost:${this.port}${path}`;
  }

  /** Serves a valid client metadata document with `changes`, and returns its URL. */
  serve(path: string, changes: object = {}): string {
    this.paths.set(path, (response, client_id) => {
      const document = { client_id, client_name: 'By document', redirect_uris: ['https://agent.example/callback'] };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...document, ...changes }));
    });
    return this.at(path);
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}
