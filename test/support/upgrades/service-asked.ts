import { hash } from 'node:crypto';
import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Placeholder for the host and port of the service, which differ at each start. */
const HERE = 'localhost:0';
/**
 * Maximum idle time after which a connection can be reused. Servers close an idle connection after 65 s, and a request
 * that is sent at that moment must be repeated.
 */
const MAY_BE_CLOSED_AFTER_MS = 60_000;
/** Maximum length of a body that is stored unchanged. For longer bodies, only a digest is stored. */
const KEPT_WHOLE = 65_536;

export type Question = {
  readonly method?: string;
  readonly path: string;
  /** The subdomain of a site's own host. Without it, the request goes to the service. */
  readonly site?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | object;
};

export type Reply = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The response body, with a placeholder instead of the service's address. */
  readonly text: string;
};

/** A client for any version of the service. It sends plain HTTP requests and does not use the API description. */
export class ServiceAsked {
  readonly #addresses: RegExp;
  /** Time at which each connection last received a response (`performance.now()`). */
  readonly #used = new WeakMap<Socket, number>();

  /** `before` is the port that the service had at its previous start. Stored responses still contain it. */
  constructor(
    readonly port: number,
    before: number = port,
    /** If an agent is given, connections are reused. Otherwise, each request has its own connection. */
    private readonly agent: Agent | false = false,
  ) {
    this.#addresses = new RegExp(`(localhost|127\\.0\\.0\\.1):(${port}|${before})\\b`, 'g');
  }

  async ask(question: Question): Promise<Reply> {
    const { method, path, site, headers = {}, body } = question;
    const isJson = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
    const sent = isJson ? JSON.stringify(body) : body;
    const asked = request({
      host: '127.0.0.1',
      port: this.port,
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      path,
      agent: this.agent,
      headers: {
        host: `${site ? `${site}.` : ''}localhost:${this.port}`,
        ...(isJson && { 'content-type': 'application/json' }),
        ...headers,
        ...(sent !== undefined && { 'content-length': Buffer.byteLength(sent) }),
      },
    });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      asked.on('response', resolve).on('error', reject);
    });
    let idleMs = 0;
    asked.once('socket', (socket) => {
      idleMs = performance.now() - (this.#used.get(socket) ?? performance.now());
      asked.once('response', (response) => {
        response.once('end', () => this.#used.set(socket, performance.now()));
      });
    });
    asked.end(sent);
    const answer = await answered.catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' && idleMs > MAY_BE_CLOSED_AFTER_MS) return null;
      throw error;
    });
    if (!answer) return this.ask(question);
    const bytes = await buffer(answer);
    return { status: answer.statusCode ?? 0, headers: answer.headers, bytes, text: this.#plain(bytes) };
  }

  /** Returns the JSON of a response. Throws unless the status is among `wanted`, or below 300 if `wanted` is empty. */
  async get<Answer = unknown>(question: Question, ...wanted: readonly number[]): Promise<Answer> {
    const reply = await this.ask(question);
    const fine = wanted.length > 0 ? wanted.includes(reply.status) : reply.status < 300;
    if (!fine)
      throw new Error(`${question.method ?? 'GET'} ${question.path}: ${reply.status}\n${reply.text.slice(0, 500)}`);
    const isJson = /json/.test(String(reply.headers['content-type']));
    return JSON.parse(isJson ? reply.bytes.toString() : 'null');
  }

  /** Returns the path of the link in the newest mail to an address. */
  async mailTo(email: string): Promise<string> {
    const mails = await this.get<{ to: string; links: string[] }[]>({ path: '/dev/outbox.json' });
    const link = mails.find(({ to }) => to === email)?.links[0];
    if (!link) throw new Error(`There is no mail to ${email}.`);
    const { pathname, search } = new URL(link);
    return pathname + search;
  }

  /**
   * Returns the response with a placeholder instead of the service's address. A digest replaces a long or binary body.
   */
  told({ status, headers, bytes, text }: Reply): ToldReply {
    const type = String(headers['content-type'] ?? '');
    const isText = /^(text|application\/(json|problem|x-ndjson|javascript))/.test(type) && bytes.length <= KEPT_WHOLE;
    return {
      status,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, this.#plain(Buffer.from(String(value)))]),
      ),
      body: isText ? text : `${bytes.length} bytes, sha256 ${hash('sha256', bytes)}`,
    };
  }

  #plain(bytes: Buffer) {
    return bytes.toString().replaceAll(this.#addresses, HERE);
  }
}

export type ToldReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
