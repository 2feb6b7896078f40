import { Agent, request } from 'node:http';

/** JSON over kept connections to a port of loopback, as many as are asked for at once. */
export class HttpClient {
  #agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

  constructor(port) {
    this.port = port;
  }

  get = (path, headers = {}) => this.#send('GET', path, headers);
  post = (path, body, headers = {}) =>
    this.#send('POST', path, { 'content-type': 'application/json', ...headers }, JSON.stringify(body));

  /** Closes its connections; what is under way is answered `{ status: 0 }`. */
  close = () => this.#agent.destroy();

  #send(method, path, headers, body) {
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
          answer.on('end', () => resolve({ status: answer.statusCode, body: text ? JSON.parse(text) : null }));
        },
      );
      sent.on('error', () => resolve({ status: 0, body: null }));
      sent.end(body);
    });
  }
}
