import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { ClientAddress } from '../../../edge/http/limits/client-address.js';
import { Exchange, type RequestBody } from '../../../edge/http/proxy/exchange.js';
import { requestHead, type SentLine } from '../../../edge/http/proxy/request-head.js';
import type { ResponseFields } from '../../../edge/http/proxy/response-fields.js';
import type { ResponseHead } from '../../../edge/http/proxy/response-head.js';
import type { ResponseFault } from '../../../edge/http/proxy/response-receiver.js';
import { ResponseSink } from '../../../edge/http/proxy/response-sink.js';
import { ServerConnectionPool } from '../../../edge/http/proxy/server-connections.js';
import { SilenceClock } from '../../../edge/http/proxy/silence-clock.js';
import type { VisitorSink } from '../../../edge/http/proxy/visitor-sink.js';
import { tunnel } from '../../../edge/http/proxy/web-socket-tunnel.js';
import type { DirectSink } from '../../../edge/http/server/first-handler.js';
import { hasBody, headerField } from '../../../edge/http/server/header-field.js';
import { findUpgrade, type Upgrade } from '../../../edge/http/server/web-socket.js';
import { Ids } from '../../../kernel/ids.js';
import type { ServedDeploy, SiteServerUse } from '../../../kernel/ports/served-deploy.js';
import { Refusal } from '../../../kernel/refusal.js';
import type { FinishesRequests } from '../../../nest/stopping.js';
import { KnownServers } from '../../servers/api/known-servers.js';
import type { KnownServerHost } from './server-host-cache.js';
import { ServerLoad } from './server-load.js';
import { sendServerProblem } from './server-problem.js';
import { applyServerRules, type ServerRules } from './server-rules.js';

/** Time without data after which a WebSocket is closed (docs/interface/servers.md, "Limits"). */
const WEB_SOCKET_IDLE_MS = 300_000;
/** Time without data after which a WebSocket no longer keeps the server running. */
const WEB_SOCKET_SILENT_MS = 60_000;

/** A crashed server is restarted. Wait up to MAX_GONE_MS for that, polling every LOOK_AGAIN_MS. */
const MAX_GONE_MS = 5_000;
const LOOK_AGAIN_MS = 50;

const REQUESTS = { ofSite: 512, inAll: 4_096 };
const WEB_SOCKETS = { ofSite: 1_000, inAll: 4_000 };

export type ShownServerHost = Pick<KnownServerHost, 'deploy' | 'rules' | 'headers'>;

type Forwarded = ShownServerHost & {
  readonly sent: SentLine;
  readonly peer: string;
  readonly body: RequestBody | null;
  readonly sink: VisitorSink;
  readonly signal: AbortSignal;
  readonly upgrade: { readonly offer: Upgrade; readonly response: ServerResponse } | null;
  readonly onHead: (isHtml: boolean) => void;
  readonly onOver: () => void;
};

/**
 * Called once when forwarding has ended. The argument is an error to send instead of the server's response, or null.
 */
type OnOver = (refusal: Refusal | null) => void;

@Injectable()
export class ServerProxy implements FinishesRequests {
  readonly #log = new Logger('Servers');
  readonly #requests = new ServerLoad(REQUESTS);
  readonly #webSockets = new ServerLoad(WEB_SOCKETS);
  readonly #tunnels = new Set<() => void>();
  readonly #silence = new SilenceClock(WEB_SOCKET_SILENT_MS);
  readonly #defaultProto: 'http' | 'https';

  constructor(
    private readonly servers: KnownServers,
    private readonly clientAddress: ClientAddress,
    private readonly ids: Ids,
    private readonly urls: ServiceUrls,
    private readonly connections: ServerConnectionPool,
  ) {
    this.#defaultProto = urls.baseUrl.startsWith('https:') ? 'https' : 'http';
  }

  /**
   * Forwards a request to the server. The caller must already have checked the visitor's access. Passes to `onHead`
   * whether the response is an HTML page.
   */
  answer(
    request: IncomingMessage,
    response: ServerResponse,
    shown: ShownServerHost,
    onHead: (isHtml: boolean) => void,
  ): undefined | Promise<void> {
    const { method = 'GET', url = '/', rawHeaders } = request;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const offer = findUpgrade(request);
    if (!offer) endWithVisitor(request, response);
    return this.#forward({
      ...shown,
      sent: { method, url, rawHeaders },
      peer: request.socket.remoteAddress ?? '',
      body: bodyOf(request),
      sink: new ResponseSink(response),
      signal: gone.signal,
      upgrade: offer && { offer, response },
      onHead,
      onOver: () => undefined,
    });
  }

  /** Forwards a request without a body on a host that every visitor can see. */
  readonly answerDirectly = (answer: DirectSink, known: KnownServerHost): void => {
    const { request, peer, signal } = answer;
    const at = Date.now();
    const began = performance.now();
    let isPage = false;
    void this.#forward({
      ...known,
      sent: request,
      peer,
      body: null,
      sink: answer,
      signal,
      upgrade: null,
      onHead: (isHtml) => {
        isPage = isHtml;
      },
      onOver: () => {
        const onSent = isPage ? known.onPageSent : known.onSent;
        onSent?.(request, answer.status, answer.sentBytes, at, performance.now() - began, peer);
      },
    });
  };

  /** Closes all WebSockets, and resolves when the requests in progress have completed. */
  async finishRequests(withinMs: number): Promise<void> {
    for (const end of this.#tunnels) end();
    await Promise.race([this.#requests.empty(), pause(withinMs, undefined, { ref: false })]);
    this.connections.close();
  }

  /**
   * Forwards a request. Resolves when the request has been sent or refused. Synchronous if the server is known to be
   * running.
   */
  #forward(forwarded: Forwarded): undefined | Promise<void> {
    const { deploy, sink, signal, upgrade, onOver } = forwarded;
    const requestId = this.ids.make('req');
    const load = upgrade ? this.#webSockets : this.#requests;
    if (!load.enter(deploy.siteId)) {
      this.#refuse(forwarded, requestId, new Refusal('unavailable'));
      onOver();
      return;
    }
    return this.#use(forwarded, requestId, null, (refusal) => {
      load.leave(deploy.siteId);
      if (refusal !== null && !sink.hasBegun && !signal.aborted) this.#refuse(forwarded, requestId, refusal);
      onOver();
    });
  }

  /**
   * Sends the request to a running server, starting one if necessary. `until` is the deadline for retries after the
   * server was unreachable, or null for the first attempt.
   */
  #use(forwarded: Forwarded, requestId: string, until: number | null, onOver: OnOver): undefined | Promise<void> {
    const { deploy, signal } = forwarded;
    const use = this.servers.use(deploy, signal);
    if (!(use instanceof Promise)) return void this.#send(forwarded, requestId, use, until, onOver);
    return use.then(
      (started) => this.#send(forwarded, requestId, started, until, onOver),
      (error) => onOver(signal.aborted ? null : this.#asRefusal(error, deploy)),
    );
  }

  #send(forwarded: Forwarded, requestId: string, use: SiteServerUse, until: number | null, onOver: OnOver) {
    const { signal, body } = forwarded;
    const over = (fault: ResponseFault | null) => {
      use.release(fault === null || fault.kind === 'visitor silent' ? 'answered' : 'failed');
      if (fault?.kind !== 'unreachable' || body !== null || signal.aborted) return onOver(fault && refusalOf(fault));
      const end = until ?? performance.now() + MAX_GONE_MS;
      if (performance.now() > end) return onOver(refusalOf(fault));
      void pause(LOOK_AGAIN_MS).then(() => this.#use(forwarded, requestId, end, onOver));
    };
    if (signal.aborted) return over(null);
    this.#exchange(forwarded, requestId, use, over);
  }

  #exchange(
    forwarded: Forwarded,
    requestId: string,
    use: SiteServerUse,
    onOver: (fault: ResponseFault | null) => void,
  ) {
    const { sent, body, sink, rules, upgrade, onHead } = forwarded;
    const { method } = sent;
    const fieldsOf = (head: ResponseHead) => {
      const { fields, isHtml } = applyServerRules(head, rules);
      onHead(isHtml);
      return fields;
    };
    new Exchange({
      connections: this.connections,
      address: use.address,
      request: { method, head: requestHead(sent, this.#originOf(forwarded, requestId), upgrade !== null), body },
      sink,
      fieldsOf,
      requestId,
      onOver,
      onSwitch:
        upgrade &&
        ((head, socket, rest) =>
          this.#tunnel(upgrade, fieldsOf(head), requestId, socket, rest, use, () => onOver(null))),
    });
  }

  #originOf({ sent: { rawHeaders }, peer }: Forwarded, requestId: string) {
    const forwardedFor = headerField(rawHeaders, 'x-forwarded-for') ?? null;
    const forwardedProto = headerField(rawHeaders, 'x-forwarded-proto') ?? null;
    return {
      address: this.clientAddress.addressBehind(peer, forwardedFor),
      proto: this.clientAddress.schemeBehind(peer, forwardedProto) ?? this.#defaultProto,
      requestId,
    };
  }

  #tunnel(
    { offer, response }: NonNullable<Forwarded['upgrade']>,
    { lines }: ResponseFields,
    requestId: string,
    server: Socket,
    rest: Buffer,
    use: SiteServerUse,
    onOver: () => void,
  ) {
    const { socket } = offer;
    response.detachSocket(socket);
    // Set the status only for the record of the visit. The head of the response is written to the socket below.
    response.statusCode = 101;
    const head = 'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n';
    socket.write(`${head}${lines}x-request-id: ${requestId}\r\n\r\n`, 'latin1');
    if (rest.length > 0) socket.write(rest);
    if (offer.rest.length > 0) server.write(offer.rest);
    const end = tunnel(socket, server, {
      idleMs: WEB_SOCKET_IDLE_MS,
      silence: this.#silence,
      onSilent: use.setSilent,
      onOver: () => {
        this.#tunnels.delete(end);
        response.emit('close');
        onOver();
      },
    });
    this.#tunnels.add(end);
  }

  #refuse({ sent, sink, headers }: Forwarded, requestId: string, refusal: Refusal) {
    sendServerProblem(sink, refusal, {
      accept: headerField(sent.rawHeaders, 'accept'),
      path: sent.url.split('?', 1)[0] ?? '/',
      baseUrl: this.urls.baseUrl,
      requestId,
      headers,
    });
  }

  #asRefusal(error: unknown, { slug }: ServedDeploy): Refusal {
    // Keep only the error code. The reason may contain output of the container engine, so only owners see it.
    if (error instanceof Refusal) return new Refusal(error.code);
    this.#log.error(`Could not use the server of ${slug}`, error instanceof Error ? error.stack : error);
    return new Refusal('server_failed');
  }
}

/**
 * Treats a visitor who closes their half of the connection as disconnected. Otherwise, an endless response would
 * continue without a reader.
 */
function endWithVisitor({ socket }: IncomingMessage, response: ServerResponse) {
  const end = () => void response.destroy();
  socket.once('end', end);
  response.once('close', () => socket.off('end', end));
}

const refusalOf = ({ kind, detail }: ResponseFault) =>
  kind === 'timeout' ? new Refusal('server_timeout') : new Refusal('server_failed', detail);

function bodyOf(request: IncomingMessage): RequestBody | null {
  if (!hasBody(request.rawHeaders)) return null;
  const isChunked = headerField(request.rawHeaders, 'transfer-encoding') !== undefined;
  return { stream: request, length: isChunked ? null : Number(headerField(request.rawHeaders, 'content-length')) };
}

/**
 * Builds the rules for responses of a site's server. `headers` contains the headers of every response about the site.
 */
export const buildServerRules = (headers: Readonly<Record<string, string>>, isPrivate: boolean): ServerRules => {
  const added = Object.entries(headers).filter(
    ([name]) => name !== 'cache-control' && name !== 'access-control-allow-origin',
  );
  return { added: added.flat(), isPrivate };
};
