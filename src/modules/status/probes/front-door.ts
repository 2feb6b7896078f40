import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { text } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { isCode } from '../../../kernel/faults/error-code.js';
import { ignoreFault } from '../../../kernel/faults/ignored-fault.js';
import { StatusSettings } from '../../../settings/status-settings.js';
import { UnreachableComponentError } from './probe-fault.js';
import { ProbeResultStore } from './probe-results.js';

/** User agent of probes, which distinguishes the service's own requests from those of visitors. */
const USER_AGENT = 'Stele-Probe/1';

const CONNECT_WITHIN_MS = 3_000;

const REACHED_AGAIN_MS = 3_600_000;

/** Probes request only small content, so a longer response is an error. */
const MAX_TEXT_BYTES = 4_194_304;

/** Error codes of connections that failed before a request was sent, including those for untrusted certificates. */
const NOT_REACHED = [
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'STELE_NO_CONNECTION'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_GET_ISSUER_CERT'],
];

export type Asked = {
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
};

export type FrontDoorResponse = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
};

/** The address to connect to. Its host may differ from the host that is named in the request. */
type Way = { readonly host: string; readonly port: string; readonly isSecure: boolean };

/**
 * Sends the requests of probes to the service's public URLs, as any client would. This process may be unable to reach
 * these URLs, because another machine or an external proxy serves them. In that case, connects to this process's own
 * listener, with the public hostname in the request. A host that was reached in the last seven days has no such
 * fallback, so that its outage is noticed.
 */
@Injectable()
export class FrontDoor {
  /** Time at which each host was last recorded as reached (`performance.now()`). */
  readonly #reached = new Map<string, number>();

  constructor(
    private readonly urls: ServiceUrls,
    private readonly settings: StatusSettings,
    private readonly results: ProbeResultStore,
  ) {}

  /**
   * Sends a request and returns its response. Rejects with `UnreachableComponentError` if this process can't reach the
   * host, or with Node's error if the request fails.
   */
  async ask(url: string, asked: Asked): Promise<FrontDoorResponse> {
    const answer = await this.open(url, asked);
    const { statusCode: status = 0, headers } = answer;
    let length = 0;
    answer.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_TEXT_BYTES) answer.destroy(new Error('The response is too long.'));
    });
    return { status, headers, text: await text(answer) };
  }

  /** Sends a request and returns its response as a stream, which the caller ends by aborting the signal. */
  async open(url: string, asked: Asked): Promise<IncomingMessage> {
    const target = new URL(url);
    const { front } = this.settings;
    if (front !== null) return send(target, wayOf(new URL(front)), asked);
    try {
      const answer = await send(target, wayOf(target), asked);
      await this.#noteReached(target.host);
      return answer;
    } catch (error) {
      if (!isCode(error, ...NOT_REACHED) || (await this.#wasReached(target.host))) throw error;
      return this.openHere(target, asked);
    }
  }

  /** Sends a request directly to this process, bypassing any proxy in front of it. */
  openHere(target: URL, asked: Asked): Promise<IncomingMessage> {
    const { listener, servesSites } = this.settings;
    const isOfService = target.host === new URL(this.urls.baseUrl).host;
    if (!isOfService && !servesSites)
      throw new UnreachableComponentError(`${target.host} cannot be reached from this process.`);
    return send(target, { host: listener.host, port: String(listener.port), isSecure: false }, asked);
  }

  async #noteReached(host: string) {
    const before = this.#reached.get(host);
    if (before !== undefined && performance.now() - before < REACHED_AGAIN_MS) return;
    this.#reached.set(host, performance.now());
    await this.results.noteReached(host).catch(ignoreFault);
  }

  async #wasReached(host: string): Promise<boolean> {
    return this.#reached.has(host) || (await this.results.wasReached(host).catch(() => false));
  }
}

/**
 * Connects to `localhost` for names that end in `.localhost`. They refer to this machine (RFC 6761, section 6.3), but
 * Node does not resolve them.
 */
const wayOf = ({ protocol, hostname, port }: URL): Way => {
  const isSecure = protocol === 'https:';
  const host = hostname.endsWith('.localhost') ? 'localhost' : hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: port || (isSecure ? '443' : '80'), isSecure };
};

async function send(target: URL, { host, port, isSecure }: Way, asked: Asked): Promise<IncomingMessage> {
  const { method = 'GET', headers = {}, body, signal } = asked;
  const options: RequestOptions & { readonly servername: string } = {
    ...{ host, port, method, signal, servername: isIP(target.hostname) === 0 ? target.hostname : '' },
    path: `${target.pathname}${target.search}`,
    headers: {
      ...{ 'user-agent': USER_AGENT, ...headers, host: target.host },
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    },
    // Each probe opens a new connection, because a reused one does not prove that new visitors can connect.
    agent: false,
  };
  const asking = isSecure ? httpsRequest(options) : httpRequest(options);
  const late = setTimeout(() => asking.destroy(noConnection()), CONNECT_WITHIN_MS);
  asking.once('socket', (socket) => socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(late)));
  try {
    asking.end(body);
    const [answer] = await once(asking, 'response');
    return answer;
  } finally {
    clearTimeout(late);
  }
}

const noConnection = () => Object.assign(new Error('The connection timed out.'), { code: 'STELE_NO_CONNECTION' });
