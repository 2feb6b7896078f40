import { type IncomingMessage, type RequestListener, Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { enforceBodyTimeout } from './body-timeout.js';
import { CONNECTION_LIMITS, type Connections, type OpenConnections } from './connections/connections.js';
import { GatheringRequest } from './connections/gathering-request.js';
import type { Turns } from './connections/turns.js';
import { Drain } from './drain.js';
import { DrainingResponse } from './draining-response.js';
import type { FirstHandler } from './first-handler.js';
import { hasBody, headerField } from './header-field.js';
import type { HostKind } from './hosts/hosts.js';
import { namesOneHost, originForm } from './hosts/one-host.js';
import { offerUpgrade, wantsWebSocket } from './web-socket.js';

export type HttpServerOptions = {
  /** What a Host header stands for. */
  readonly hostKindOf: (host: string | undefined) => HostKind;
  /** Whether a new connection may stay; else it is closed at once. */
  readonly admit: (socket: Socket) => boolean;
  /** The turns that a connection takes with others of its address. */
  readonly turnsOf: (socket: Socket) => Turns;
  /** Paths on the service’s own host that accept WebSockets. */
  readonly gateways: readonly string[];
  /** Answers CONNECT, for which Node gives no response object. */
  readonly refuseTunnel: (socket: Socket) => void;
  /** Answers what Node’s parser refuses. `head`: the beginning of that request, as far as it is known. */
  readonly answerMalformed: (fault: Error, socket: Socket, head: Buffer | null) => void;
  /** Reads connections: Node’s HTTP server alone, or the fast path before it (STELE_FAST_PATH). */
  readonly openConnections: OpenConnections;
};

/** Sees every request before the framework. */
export type ServerHandler = FirstHandler & {
  /** Whether a WebSocket to this host may be for a program of a site. It is then given to `answer`, with `upgradeOf`. */
  takesWebSocket(host: string | undefined): boolean;
};

/** For a process whose roles have nothing to answer there. */
export const ANSWERS_NOTHING: ServerHandler = {
  cachedResponse: () => null,
  forward: () => null,
  takesWebSocket: () => false,
  answer: () => false,
};

/**
 * The one HTTP server of the process. Requests for hosted sites are answered here, before the framework sees them: one
 * trivial route through the framework costs more than a page does (decision 0002).
 */
export class HttpServer {
  #handler: ServerHandler = ANSWERS_NOTHING;
  #drain: Drain | null = null;
  #connections: Connections | null = null;

  constructor(private readonly options: HttpServerOptions) {}

  /** From now on `handler` sees every request first. */
  setFirstHandler(handler: ServerHandler) {
    this.#handler = handler;
  }

  /**
   * Accepts no more connections, and resolves when the requests in progress are answered, after `ms` milliseconds at
   * the latest; see `Drain`.
   */
  async finish(ms: number): Promise<void> {
    await this.#drain?.finish(ms);
  }

  /** For Fastify: answers what the parser refuses, when the requests before it on its connection are answered. */
  readonly clientErrorHandler = (fault: Error, socket: Socket) => {
    this.#connections?.refuse(socket, fault, (head) => this.options.answerMalformed(fault, socket, head));
  };

  /** For Fastify: makes the server, and passes on to `framework` what the first handler leaves. */
  readonly serverFactory = (framework: RequestListener): Server => {
    const answer = (request: IncomingMessage, response: ServerResponse) =>
      connections.take(request, response, () => handle(request, response));
    const handle = (request: IncomingMessage, response: ServerResponse): boolean => {
      const isUnambiguous = namesOneHost(request);
      // A client whose WebSocket was refused sends no second request, and bytes after an ambiguous request are not to
      // be trusted.
      if (!isUnambiguous || wantsWebSocket({ upgrade: headerField(request.rawHeaders, 'upgrade') }))
        response.shouldKeepAlive = false;
      // A request that is ambiguous about its host is refused by the service, whichever site it may be for.
      if (isUnambiguous) {
        request.url = originForm(request.url ?? '/');
        if (this.#handler.answer(request, response)) return true;
      }
      drain.track(request, response);
      enforceBodyTimeout(server, request, response);
      framework(request, response);
      return false;
    };
    const server = new UpgradeRoutingServer(
      {
        ...LIMITS,
        // Node’s own response to a request without a host has none of our headers.
        requireHostHeader: false,
        shouldUpgradeCallback: (request) =>
          connections.canUpgrade(request.socket) && (this.#isForGateway(request) || this.#isForSite(request)),
        IncomingMessage: GatheringRequest,
        ServerResponse: DrainingResponse,
      },
      answer,
      (request, socket, rest) => this.#upgradeForSite(request, socket, rest),
    );
    const connections = this.#openConnections(server);
    const drain = new Drain(server, () => {
      connections.close();
      server.closeIdleConnections();
    });
    this.#drain = drain;
    server.maxConnections = MAX_CONNECTIONS;
    // The number of header fields is bounded by their bytes. Node’s own bound would drop the last ones silently.
    server.maxHeadersCount = 0;
    // RFC 9110 section 10.1.1 lets a server ignore an expectation that it does not know; Node’s own 417 has none of our
    // headers.
    server.on('checkExpectation', answer);
    server.on('upgrade', (_request, socket: Socket) => connections.release(socket));
    server.on('connect', (_request, socket: Socket) => {
      connections.release(socket);
      this.options.refuseTunnel(socket);
    });
    return server;
  };

  /** Such a request is still answered like any other where it does not go on as a WebSocket. */
  #isForSite(request: IncomingMessage): boolean {
    const { method, headers } = request;
    return (
      method === 'GET' &&
      wantsWebSocket(headers) &&
      !hasBody(request.rawHeaders) &&
      namesOneHost(request) &&
      this.#handler.takesWebSocket(headers.host)
    );
  }

  #upgradeForSite(request: IncomingMessage, socket: Socket, rest: Buffer): boolean {
    if (!this.#isForSite(request)) return false;
    this.#connections?.release(socket);
    request.url = originForm(request.url ?? '/');
    const response = new DrainingResponse(request);
    response.shouldKeepAlive = false;
    // Node’s server has let go of the connection.
    socket.on('error', () => undefined).on('drain', () => response.emit('drain'));
    response.assignSocket(socket);
    response.once('finish', () => {
      response.detachSocket(socket);
      socket.destroySoon();
    });
    offerUpgrade(request, { socket, rest });
    if (!this.#handler.answer(request, response)) response.writeHead(404).end();
    return true;
  }

  /** Puts what reads connections before Node’s own `connection` listener, which gets those that are given to it. */
  #openConnections(server: Server): Connections {
    const nodeListeners = server.listeners('connection');
    server.removeAllListeners('connection');
    const connections = this.options.openConnections({
      handler: {
        cachedResponse: (request) => this.#handler.cachedResponse(request),
        forward: (request) => this.#handler.forward(request),
        answer: (request, response) => this.#handler.answer(request, response),
      },
      giveToNode: (socket) => {
        for (const listener of nodeListeners) Reflect.apply(listener, server, [socket]);
      },
      // Node has no public name for it.
      allowHalfOpen: () => void Reflect.set(server, 'httpAllowHalfOpen', true),
      turnsOf: this.options.turnsOf,
    });
    server.on('connection', (socket: Socket) => {
      if (this.options.admit(socket)) connections.accept(socket);
      else socket.destroy();
    });
    this.#connections = connections;
    return connections;
  }

  /**
   * Only these requests become upgrades. All others stay ordinary requests, answered by the site or the service they
   * are for: a gateway’s listener would see every socket of the server, those of sites too.
   */
  #isForGateway(request: IncomingMessage): boolean {
    const { method, headers, url = '/' } = request;
    return (
      method === 'GET' &&
      wantsWebSocket(headers) &&
      namesOneHost(request) &&
      this.options.hostKindOf(headers.host).kind === 'service' &&
      this.options.gateways.includes(originForm(url).split('?', 1)[0] ?? '/')
    );
  }
}

/** Sees upgrades before all listeners, of which Nest’s adapter cuts off what is for none of its gateways. */
class UpgradeRoutingServer extends Server<typeof GatheringRequest, typeof DrainingResponse> {
  constructor(
    options: ServerOptions<typeof GatheringRequest, typeof DrainingResponse>,
    listener: RequestListener<typeof GatheringRequest, typeof DrainingResponse>,
    /** True where it has taken the connection. */
    private readonly take: (request: IncomingMessage, socket: Socket, rest: Buffer) => boolean,
  ) {
    super(options, listener);
  }

  override emit(event: string, ...args: unknown[]): boolean {
    if (event === 'upgrade') {
      const [request, socket, rest] = args as [IncomingMessage, Socket, Buffer];
      if (this.take(request, socket, rest)) return true;
    }
    return super.emit(event, ...args);
  }
}

/** In milliseconds and bytes (docs/interface/limits.md, "Connection limits"). */
const LIMITS = {
  keepAliveTimeout: CONNECTION_LIMITS.keepAliveMs,
  headersTimeout: CONNECTION_LIMITS.firstRequestMs,
  /** To the end of the body: long enough for a deploy of 1 GiB at 10 Mbit/s. */
  requestTimeout: 900_000,
  /** How often Node checks the two above. */
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
} satisfies ServerOptions;

/** Beyond this number a new connection is closed at once. An idle one costs about 10 KiB. */
const MAX_CONNECTIONS = 16_384;
