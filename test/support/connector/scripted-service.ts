import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type Asked = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** Time at which the request arrived, in milliseconds. */
  readonly at: number;
};

/** Status, body and headers of a response. `cut` closes the connection without a response. `silent` never responds. */
export type Said = readonly [number, object?, Record<string, string>?] | 'cut' | 'silent';

export const work = (id: string, input: unknown = null): Said => [
  200,
  { id: `wrk_${id}`, slug: 'otter', input, attempt: 1, deadline: new Date(Date.now() + 60_000).toISOString() },
];

/** A fake service that sends the given responses in order. Afterwards, it responds to every poll with no work. */
export class ScriptedService {
  readonly asked: Asked[] = [];
  readonly #changed: (() => void)[] = [];

  private constructor(
    private readonly server: Server,
    private readonly script: Said[],
  ) {
    server.on('request', async (request, response) => {
      const body = await text(request).catch(() => '');
      this.asked.push({
        path: request.url ?? '',
        headers: request.headers,
        body: body ? JSON.parse(body) : null,
        at: performance.now(),
      });
      for (const tell of this.#changed.splice(0)) tell();
      const said = this.script.shift() ?? 'silent';
      if (said === 'silent') return;
      if (said === 'cut') return void request.socket.destroy();
      const [status, answer, headers = {}] = said;
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(answer && JSON.stringify(answer));
    });
  }

  static async start(...script: Said[]): Promise<ScriptedService> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ScriptedService(server, script);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async first(many: number): Promise<readonly Asked[]> {
    while (this.asked.length < many) await new Promise<void>((tell) => this.#changed.push(tell));
    return this.asked.slice(0, many);
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
