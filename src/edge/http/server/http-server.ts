import { type IncomingMessage, type RequestListener, Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { enforceBodyTimeout } from './body-timeout.js';
import { CONNECTION_LIMITS, type NodeConnectionPool, type OpenConnections } from './connections/connections.js';
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
  readonly hostKindOf: (host: string | undefined) => HostKind;
  /** Decides whether to keep a new connection or to close it immediately. */
  readonly admit: (socket: Socket) => boolean;
  readonly turnsOf: (socket: Socket) => Turns;
  /** Paths on the service’s own host that accept WebSockets. */
  readonly gateways: readonly string[];
  /** Responds to CONNECT, for which Node provides no response object. */
  readonly refuseTunnel: (socket: Socket) => void;
  /** Responds to data that Node’s parser refuses. `head` is the known beginning of the refused request. */
  readonly answerMalformed: (fault: Error, socket: Socket, head: Buffer | null) => void;
  /** Opens connections that only Node's HTTP server reads, or that begin on the fast path (STELE_FAST_PATH). */
  readonly openConnections: OpenConnections;
};

/** The first handler, which receives every request before the framework does. */
export type ServerHandler = FirstHandler & {
  /** Reports whether a WebSocket for this host might be for a site's server. If so, `answer` gets the request. */
  takesWebSocket(host: string | undefined): boolean;
};

/** The first handler of a process that does not have the role to serve sites. */
export const NO_SITES_HANDLER: ServerHandler = {
  cachedResponse: () => null,
  forward: () => null,
  takesWebSocket: () => false,
  answer: () => false,
};

/**
 * The only HTTP server of the process. Responds to requests for hosted sites before the framework sees them, because
 * even a trivial route through the framework costs more than a page (decision 0002).
 */
export class HttpServer {
  #handler: ServerHandler = NO_SITES_HANDLER;
  #drain: Drain | null = null;
  #connections: NodeConnectionPool | null = null;

  constructor(private readonly options: HttpServerOptions) {}

  setFirstHandler(handler: ServerHandler) {
    this.#handler = handler;
  }

  /** Stops accepting connections. Resolves when requests are finished, or after `ms` milliseconds; see `Drain`. */
  async finish(ms: number): Promise<void> {
    await this.#drain?.finish(ms);
  }

  /** For Fastify: responds to data that the parser refuses, after the responses to earlier requests. */
  readonly clientErrorHandler = (fault: Error, socket: Socket) => {
    this.#connections?.refuse(socket, fault, (head) => this.options.answerMalformed(fault, socket, head));
  };

  /** For Fastify: creates the server, which passes requests to `framework` unless the first handler handles them. */
  readonly serverFactory = (framework: RequestListener): Server => {
    const answer = (request: IncomingMessage, response: ServerResponse) =>
      connections.take(request, response, () => handle(request, response));
    const handle = (request: IncomingMessage, response: ServerResponse): boolean => {
      const isUnambiguous = namesOneHost(request);
      // Close the connection after the response. A client whose WebSocket was refused sends no more requests, and data
      // after an ambiguous request is not trusted.
      if (!isUnambiguous || wantsWebSocket({ upgrade: headerField(request.rawHeaders, 'upgrade') }))
        response.shouldKeepAlive = false;
      // The service itself refuses requests with an ambiguous host, even if they might be for a site.
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
        // Node’s own response to a request without a host lacks our headers.
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
    // Turn off Node’s limit on the number of fields, which would silently drop the last ones. The size of the head is
    // limited.
    server.maxHeadersCount = 0;
    // A server may ignore an unknown expectation (RFC 9110 section 10.1.1). Node’s own 417 response lacks our headers.
    server.on('checkExpectation', answer);
    // A request whose headers are rejected gets the final response without 100 Continue (RFC 9110 section 10.1.1).
    server.on('checkContinue', (request: GatheringRequest, response: ServerResponse) => {
      request.beforeRead(() => {
        if (!response.headersSent) response.writeContinue();
      });
      answer(request, response);
    });
    server.on('upgrade', (_request, socket: Socket) => connections.release(socket));
    server.on('connect', (_request, socket: Socket) => {
      connections.release(socket);
      this.options.refuseTunnel(socket);
    });
    return server;
  };

  /**
   * Reports whether a request is a WebSocket handshake for a site. If the handshake fails, the visitor gets an ordinary
   * response.
   */
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
    // Node’s server no longer manages the connection of an upgrade, so handle its events here.
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

  /**
   * Receives all connections before Node does. Node’s own `connection` listeners get only the connections that are
   * passed to them.
   */
  #openConnections(server: Server): NodeConnectionPool {
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
      // Node has no public option for half-open HTTP connections.
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
   * Reports whether a request is a WebSocket handshake for a gateway. Other upgrades must not reach a gateway’s
   * listener, which would see every socket of the server, including those of sites.
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

/** Handles upgrades before any listener, because Nest’s adapter closes connections that are not for its gateways. */
class UpgradeRoutingServer extends Server<typeof GatheringRequest, typeof DrainingResponse> {
  constructor(
    options: ServerOptions<typeof GatheringRequest, typeof DrainingResponse>,
    listener: RequestListener<typeof GatheringRequest, typeof DrainingResponse>,
    /** Returns true if it has taken over the connection. */
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

/** Limits in milliseconds and bytes (docs/interface/limits.md, "Connection limits"). */
const LIMITS = {
  keepAliveTimeout: CONNECTION_LIMITS.keepAliveMs,
  headersTimeout: CONNECTION_LIMITS.firstRequestMs,
  /** Timeout for a whole request, including its body. It allows a deploy of 1 GiB at 10 Mbit/s. */
  requestTimeout: 900_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
} satisfies ServerOptions;

/** Maximum number of connections. An idle connection costs about 10 KiB. */
const MAX_CONNECTIONS = 16_384;
