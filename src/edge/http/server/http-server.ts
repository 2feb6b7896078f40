import { type IncomingMessage, type RequestListener, Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FirstHandler } from '../../fast/lane/connection-options.js';
import { FastPath } from '../../fast/lane/fast-path.js';
import type { CopyForSendfile } from '../../fast/off-heap-file.js';
import { RequestReader } from '../../fast/reading/request-reader.js';
import { enforceBodyTimeout } from './body-timeout.js';
import { Drain } from './drain.js';
import { DrainingResponse } from './draining-response.js';
import { GatheringRequest } from './gathering-request.js';
import { hasBody, headerField } from './header-field.js';
import type { HostKind } from './hosts.js';
import { namesOneHost, originForm } from './one-host.js';
import type { Turns } from './turns.js';
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
  readonly copyForSendfile: CopyForSendfile;
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
  /** Of the connections that Node’s server has. */
  readonly #readers = new WeakMap<Socket, RequestReader>();

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
  readonly clientErrorHandler = (fault: Error & { readonly rawPacket?: unknown }, socket: Socket) => {
    const reader = this.#readers.get(socket);
    const head = reader?.begunHead ?? (Buffer.isBuffer(fault.rawPacket) ? fault.rawPacket : null);
    const answer = () => this.options.answerMalformed(fault, socket, head);
    if (reader) reader.fail(answer);
    else answer();
  };

  /** For Fastify: makes the server, and passes on to `framework` what the first handler leaves. */
  readonly serverFactory = (framework: RequestListener): Server => {
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      this.#readers.get(request.socket)?.track(request, response);
      const isUnambiguous = namesOneHost(request);
      // A client whose WebSocket was refused sends no second request, and bytes after an ambiguous request are not to
      // be trusted.
      if (!isUnambiguous || wantsWebSocket({ upgrade: headerField(request.rawHeaders, 'upgrade') }))
        response.shouldKeepAlive = false;
      // A request that is ambiguous about its host is refused by the service, whichever site it may be for.
      if (isUnambiguous) {
        request.url = originForm(request.url ?? '/');
        if (this.#handler.answer(request, response)) return;
      }
      drain.track(request, response);
      enforceBodyTimeout(server, request, response);
      framework(request, response);
    };
    const server = new UpgradeRoutingServer(
      {
        ...LIMITS,
        // Node’s own response to a request without a host has none of our headers.
        requireHostHeader: false,
        shouldUpgradeCallback: (request) => this.#isForGateway(request) || this.#isForSite(request),
        IncomingMessage: GatheringRequest,
        ServerResponse: DrainingResponse,
      },
      answer,
      (request, socket, rest) => this.#upgradeForSite(request, socket, rest),
    );
    const fastPath = this.#fastPathBefore(server);
    const drain = new Drain(server, () => {
      fastPath.close();
      server.closeIdleConnections();
    });
    this.#drain = drain;
    server.maxConnections = MAX_CONNECTIONS;
    // The number of header fields is bounded by their bytes. Node’s own bound would drop the last ones silently.
    server.maxHeadersCount = 0;
    // RFC 9110 section 10.1.1 lets a server ignore an expectation that it does not know; Node’s own 417 has none of our
    // headers.
    server.on('checkExpectation', answer);
    server.on('upgrade', (_request, socket: Socket) => this.#readers.get(socket)?.release());
    server.on('connect', (_request, socket: Socket) => {
      this.#readers.get(socket)?.release();
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
    this.#readers.get(socket)?.release();
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

  /**
   * Puts the fast path before Node’s own `connection` listener, which from now on gets the connections that the fast
   * path hands over.
   */
  #fastPathBefore(server: Server): FastPath {
    const nodeListeners = server.listeners('connection');
    server.removeAllListeners('connection');
    const fastPath = new FastPath({
      handler: {
        cachedResponse: (request) => this.#handler.cachedResponse(request),
        forward: (request) => this.#handler.forward(request),
        answer: (request, response) => namesOneHost(request) && this.#handler.answer(request, response),
      },
      handOver: (socket, turns) => {
        for (const listener of nodeListeners) Reflect.apply(listener, server, [socket]);
        this.#readers.set(socket, new RequestReader(socket, turns));
      },
      turnsOf: this.options.turnsOf,
      firstRequestMs: LIMITS.headersTimeout,
      keepAliveMs: LIMITS.keepAliveTimeout,
      writeTimeoutMs: WRITE_TIMEOUT_MS,
      copyForSendfile: this.options.copyForSendfile,
    });
    server.on('connection', (socket: Socket) => {
      if (this.options.admit(socket)) fastPath.accept(socket);
      else socket.destroy();
    });
    return fastPath;
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

/** Limits of a connection, in milliseconds and bytes (docs/interface/limits.md, "Connection limits"). */
const LIMITS = {
  /** Longer than the proxies in front keep theirs (60 s), so that this server never closes first. */
  keepAliveTimeout: 65_000,
  /** From the first byte, or from the connection if none has arrived, to the end of the head. */
  headersTimeout: 20_000,
  /** To the end of the body: long enough for a deploy of 1 GiB at 10 Mbit/s. */
  requestTimeout: 900_000,
  /** How often Node checks the two above. */
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
} satisfies ServerOptions;

/** How long a client may read nothing of a page that is in memory. */
const WRITE_TIMEOUT_MS = 20_000;

/** Beyond this number a new connection is closed at once. An idle one costs about 10 KiB. */
const MAX_CONNECTIONS = 16_384;
