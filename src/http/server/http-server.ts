import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { CopyForSendfile } from '../../kernel/ports/sendfile.js';
import { cutWhenSilent } from './body-timeout.js';
import { Drain } from './drain.js';
import { DrainingResponse } from './draining-response.js';
import { FastPath, type SiteHandler } from './fast-path/fast-path.js';
import { headerField } from './header-field.js';
import type { HostKind } from './hosts.js';
import { namesOneHost, originForm } from './one-host.js';
import { wantsWebSocket } from './web-socket.js';

type HttpServerOptions = {
  readonly destination: (host: string | undefined) => HostKind;
  /** Paths on the service’s own host where it takes WebSockets. */
  readonly gateways: readonly string[];
  /** Answers CONNECT, to which HTTP gives no response object. */
  readonly refuseTunnel: (socket: Socket) => void;
  readonly copyForSendfile: CopyForSendfile;
};

/**
 * The one HTTP server of the process. Requests for hosted sites are answered here, before the framework sees them
 * (decision 0002: one trivial route through the framework costs more than a page does).
 */
export class HttpServer {
  #handler: SiteHandler = { atHand: () => null, answer: () => false };
  #drain: Drain | null = null;

  constructor(private readonly options: HttpServerOptions) {}

  /** From now on the keeper sees every request first. */
  place(handler: SiteHandler) {
    this.#handler = handler;
  }

  /** Takes no more connections and lets what is under way end, for so many milliseconds at most; see `Drain`. */
  async finish(ms: number): Promise<void> {
    await this.#drain?.finish(ms);
  }

  /** For Fastify: makes the server that hands on what the doorkeeper leaves. */
  readonly serverFactory = (behind: RequestListener): Server => {
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      const isClear = namesOneHost(request);
      // A refused WebSocket sends no second request, and what follows an unclear one is not to be trusted.
      if (!isClear || wantsWebSocket({ upgrade: headerField(request.rawHeaders, 'upgrade') }))
        response.shouldKeepAlive = false;
      // What is unclear about its host is for the service to refuse, whose site ever it may mean.
      if (isClear) {
        request.url = originForm(request.url ?? '/');
        if (this.#handler.answer(request, response)) return;
      }
      drain.saw(request, response);
      cutWhenSilent(server, request, response);
      behind(request, response);
    };
    const server = createServer(
      {
        ...LIMITS,
        // Node’s own answer to a request without a host has none of our headers.
        requireHostHeader: false,
        shouldUpgradeCallback: (request) => this.#isForGateway(request),
        ServerResponse: DrainingResponse,
      },
      answer,
    );
    const lane = this.#laneBefore(server);
    const drain = new Drain(server, () => {
      lane.close();
      server.closeIdleConnections();
    });
    this.#drain = drain;
    server.maxConnections = MOST_CONNECTIONS;
    // How many fields there are is bounded by their bytes. Node’s own bound would drop the last ones without a word.
    server.maxHeadersCount = 0;
    // RFC 9110 section 10.1.1 lets a server pass over what it does not know; Node’s own 417 has none of our headers.
    server.on('checkExpectation', answer);
    server.on('connect', (_request, socket: Socket) => this.options.refuseTunnel(socket));
    return server;
  };

  /** Node’s server takes connections by a listener of its own, which from now on has those that the lane hands over. */
  #laneBefore(server: Server): FastPath {
    const take = server.listeners('connection');
    server.removeAllListeners('connection');
    const lane = new FastPath({
      handler: {
        atHand: (request) => this.#handler.atHand(request),
        answer: (request, response) => namesOneHost(request) && this.#handler.answer(request, response),
      },
      handOver: (socket) => {
        for (const listener of take) Reflect.apply(listener, server, [socket]);
      },
      firstMs: LIMITS.headersTimeout,
      keepAliveMs: LIMITS.keepAliveTimeout,
      copyForSendfile: this.options.copyForSendfile,
    });
    server.on('connection', (socket: Socket) => lane.take(socket));
    return lane;
  }

  /**
   * Only these become upgrades. All others stay ordinary requests, answered by the site or the service they are for:
   * a gateway’s listener would see every socket of the server, those of sites too.
   */
  #isForGateway(request: IncomingMessage): boolean {
    const { method, headers, url = '/' } = request;
    return (
      method === 'GET' &&
      wantsWebSocket(headers) &&
      namesOneHost(request) &&
      this.options.destination(headers.host).kind === 'service' &&
      this.options.gateways.includes(originForm(url).split('?', 1)[0] ?? '/')
    );
  }
}

/** What a connection may take of us. Milliseconds and bytes. */
const LIMITS = {
  /** Longer than the proxies that stand in front keep theirs (60 s), so that it is never we who close first. */
  keepAliveTimeout: 65_000,
  /** From the first byte, or from the connection where there is none yet, to the end of the head. */
  headersTimeout: 20_000,
  /** To the end of the body: a whole deploy of 1 GiB at 10 Mbit/s. */
  requestTimeout: 900_000,
  /** How often the two above are looked after. */
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
} satisfies ServerOptions;

/** Beyond, a connection is closed as soon as it is made. Each costs about 10 KiB while nothing is asked. */
const MOST_CONNECTIONS = 16_384;
