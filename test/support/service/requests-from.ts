import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export type Response = { readonly status: number; readonly body: string; readonly ms: number };

type Request = {
  readonly method?: string;
  readonly path: string;
  /** Slug of the site whose host gets the request. Without it, the request goes to the service's own host. */
  readonly slug?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | object;
};

/** Sends requests from one address of this machine (127.0.0.0/8), and measures the time until each is complete. */
export const requestsFrom =
  (localAddress: string, port: number) =>
  async ({ method = 'GET', path, slug, headers = {}, body }: Request): Promise<Response> => {
    const began = performance.now();
    const isObject = typeof body === 'object' && !Buffer.isBuffer(body);
    const sent = request({
      ...{ host: '127.0.0.1', port, localAddress, agent: false, method, path },
      headers: {
        host: `${slug === undefined ? '' : `${slug}.`}localhost:${port}`,
        ...(isObject && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    sent.on('error', () => undefined);
    sent.end(isObject ? JSON.stringify(body) : body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const received = await text(answer);
    return { status: answer.statusCode ?? 0, body: received, ms: performance.now() - began };
  };
