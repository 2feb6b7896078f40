import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

export type Asked = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly model: string;
    readonly stream: boolean;
    readonly messages: { role: string; content: string }[];
  };
  /** Resolves when either side has closed the connection. */
  readonly over: Promise<unknown>;
};

export type Manner = (response: ServerResponse, asked: Asked) => unknown;

export type ModelServer = {
  readonly baseUrl: string;
  readonly asked: Asked[];
  /** Sets the responses to the next requests. The last one repeats. */
  answer(...manners: [Manner, ...Manner[]]): void;
  stop(): Promise<void>;
};

/** Starts an endpoint like OpenAI's chat completions that responds as a test specifies. */
export async function startModelServer(): Promise<ModelServer> {
  const asked: Asked[] = [];
  let manners: Manner[] = [manner.status(500)];
  const server = createServer(async (request, response) => {
    const question = {
      path: `${request.method} ${request.url}`,
      headers: request.headers,
      body: JSON.parse((await text(request)) || '{}'),
      over: once(response, 'close'),
    };
    asked.push(question);
    const next = manners.length > 1 ? manners.shift() : manners[0];
    await next?.(response, question);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    answer: (...next) => {
      manners = next;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Choice = { delta?: object; finish_reason?: string | null };

const chunk = (choice: Choice) =>
  `data: ${JSON.stringify({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'test',
    choices: [{ index: 0, delta: {}, finish_reason: null, ...choice }],
  })}\n\n`;

const begin = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });

function say(response: ServerResponse, said: string, size = 50): void {
  for (let at = 0; at < said.length; at += size)
    response.write(chunk({ delta: { content: said.slice(at, at + size) } }));
}

export const manner = {
  /** Sends the whole text in pieces of `size` characters. */
  says:
    (said: string, size?: number, finish: string = 'stop'): Manner =>
    (response) => {
      begin(response).write(chunk({ delta: { role: 'assistant', content: '' } }));
      say(response, said, size);
      response.write(chunk({ finish_reason: finish }));
      // Adds a chunk with the token usage, as some endpoints do.
      response.write('data: {"id":"c","object":"chat.completion.chunk","choices":[],"usage":{"total_tokens":9}}\n\n');
      response.end('data: [DONE]\n\n');
    },
  status:
    (status: number, headers: Record<string, string> = {}): Manner =>
    (response) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end('{"error":{"message":"secret of the endpoint"}}'),
  silent: (): Manner => () => undefined,
  /** Sends this text and then nothing more, but leaves the connection open. */
  fallsSilent:
    (said: string): Manner =>
    (response) => {
      begin(response);
      say(response, said);
    },
  /** Ends like a complete response, but without a finish reason. */
  endsEarly:
    (said: string): Manner =>
    (response) => {
      begin(response);
      say(response, said);
      response.end();
    },
  breaksOff:
    (said: string): Manner =>
    async (response) => {
      begin(response);
      say(response, said);
      await sleep(50);
      response.destroy();
    },
  raw:
    (body: string, type = 'text/event-stream'): Manner =>
    (response) =>
      response.writeHead(200, { 'content-type': type }).end(body),
  declines: (): Manner => (response) => {
    begin(response).write(chunk({ delta: { refusal: 'I will not.' } }));
    response.write(chunk({ finish_reason: 'stop' }));
    response.end('data: [DONE]\n\n');
  },
  /** Sends a blank at each interval, and never ends. */
  dawdles:
    (everyMs: number): Manner =>
    async (response) => {
      begin(response);
      while (!response.destroyed) {
        response.write(chunk({ delta: { content: ' ' } }));
        await sleep(everyMs);
      }
    },
  /** Sends pieces as fast as possible, and never ends. */
  endless:
    (piece: string): Manner =>
    async (response) => {
      begin(response);
      while (!response.destroyed) if (!response.write(chunk({ delta: { content: piece } }))) await sleep(1);
    },
  redirects:
    (to: string): Manner =>
    (response) =>
      response.writeHead(307, { location: to }).end(),
};
