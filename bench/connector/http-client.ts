import { Agent, request } from 'node:http';

export type Answer<Body> = { readonly status: number; readonly body: Body };

type Headers = Readonly<Record<string, string>>;

/** Sends and receives JSON over persistent loopback connections. Opens a connection for each concurrent request. */
export class HttpClient {
  readonly port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

  constructor(port: number) {
    this.port = port;
  }

  /** `Body` is the type of a successful response, or null for a response without content. */
  get = <Body>(path: string, headers: Headers = {}): Promise<Answer<Body>> => this.#send('GET', path, headers);
  post = <Body>(path: string, body: unknown, headers: Headers = {}): Promise<Answer<Body>> =>
    this.#send('POST', path, { 'content-type': 'application/json', ...headers }, JSON.stringify(body));

  /** Closes the connections. Requests in progress resolve with `{ status: 0 }`. */
  close = (): void => this.#agent.destroy();

  #send<Body>(method: string, path: string, headers: Headers, body?: string): Promise<Answer<Body>> {
    return new Promise((resolve) => {
      const all = {
        host: `localhost:${this.port}`,
        ...headers,
        ...(body && { 'content-length': Buffer.byteLength(body) }),
      };
      const sent = request(
        { host: '127.0.0.1', port: this.port, agent: this.#agent, method, path, headers: all },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (piece) => {
            text += piece;
          });
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text || 'null') }));
        },
      );
      sent.on('error', () => resolve({ status: 0, body: JSON.parse('null') }));
      sent.end(body);
    });
  }
}
