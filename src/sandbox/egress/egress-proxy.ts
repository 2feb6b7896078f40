import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { type HostLookup, isPublic } from '../../adapters/network/public-address.js';
import { plural } from '../../kernel/output/quantities.js';
import { listenOnSocket } from '../workspace/socket-path.js';
import { HandshakeCheck } from './handshake-check.js';
import { findHost, type Hosts } from './hosts.js';

/** Called with a refused host and the reason. The reason completes a sentence that begins with the host. */
export type OnRefused = (host: string, why: string) => void;

/** Opens a connection to an address that has been checked. */
export type Connect = (address: string, port: number) => Socket;

export type EgressOptions = {
  readonly hosts: Hosts;
  readonly lookup: HostLookup;
  /** Function that opens connections. By default, connects directly. */
  readonly connect?: Connect;
  readonly onRefused: OnRefused;
  /** Time limit for a client to send its ClientHello. Defaults to 10 seconds. */
  readonly handshakeMs?: number;
};

const HTTPS = 443;
/** Maximum number of connections. A package manager opens a few dozen. */
const MAX_CONNECTIONS = 256;
const HEADERS_MS = 10_000;
const HEADERS_BYTES = 4_096;
const CONNECT_MS = 10_000;
const HANDSHAKE_MS = 10_000;
const SILENT_MS = 120_000;
/** Time that a refused client has to read the reason. */
const REFUSED_MS = 1_000;

/** The fatal alert `access_denied` (RFC 8446, section 6), which clients do not mistake for a network error. */
const ACCESS_DENIED = Buffer.from([21, 3, 3, 0, 2, 2, 49]);

/** Addresses to connect to. `canBeUnnamed` is true if the ClientHello may omit the server name. */
type Target = { readonly addresses: readonly string[]; readonly canBeUnnamed: boolean };

/**
 * The only network access of a build: an HTTP proxy that supports only CONNECT, to allowed hosts on port 443. The
 * proxy resolves and checks the addresses itself, so that no name can be redirected into this machine’s network (DNS
 * rebinding). Many hosts can share an address, so the TLS handshake must name the requested host. Later data is
 * encrypted and not inspected.
 */
export class EgressProxy {
  readonly #open = new Set<Socket>();
  /** Pending lookups by host. Simultaneous requests share a lookup. */
  readonly #lookups = new Map<string, Promise<readonly string[]>>();

  readonly #connect: Connect;

  private constructor(
    private readonly server: Server,
    private readonly options: EgressOptions,
  ) {
    this.#connect = options.connect ?? ((address, port) => connect({ host: address, port }));
    server.maxConnections = MAX_CONNECTIONS;
    server.on('connection', (socket: Socket) => this.#track(socket));
    server.on('request', (_request, response) => {
      response.writeHead(405, { connection: 'close' }).end('This proxy only supports CONNECT to port 443.\n');
    });
    server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      void this.#tunnel(request.url ?? '', socket, head);
    });
    server.on('clientError', (_fault, socket) => socket.destroy());
  }

  static async listen(path: string, options: EgressOptions): Promise<EgressProxy> {
    const server = createServer({
      keepAlive: false,
      headersTimeout: HEADERS_MS,
      requestTimeout: HEADERS_MS,
      connectionsCheckingInterval: HEADERS_MS / 10,
      maxHeaderSize: HEADERS_BYTES,
    });
    const proxy = new EgressProxy(server, options);
    await listenOnSocket(server, path);
    return proxy;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.#open) socket.destroy();
    await closed;
  }

  async #tunnel(authority: string, client: Socket, head: Buffer): Promise<void> {
    client.on('error', () => client.destroy());
    const { host, port } = authorityOf(authority);
    const target = await this.#targetOf(host, port);
    if (typeof target === 'string') {
      this.options.onRefused(host, target);
      endWith(client, `HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n${host} ${target}.\n`);
      return;
    }
    const far = await this.#connected(target.addresses);
    if (!far) {
      endWith(client, 'HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\n\r\n');
      return;
    }
    if (client.destroyed) return void far.destroy();
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    this.#relay(client, far, head, host, new HandshakeCheck(host, target.canBeUnnamed));
  }

  #relay(client: Socket, far: Socket, head: Buffer, host: string, handshake: HandshakeCheck) {
    const refuse = (why: string) => {
      clearTimeout(deadline);
      this.options.onRefused(host, why);
      client.unpipe(checked);
      far.off('close', endClient).destroy();
      endWith(client, ACCESS_DENIED);
    };
    const { handshakeMs = HANDSHAKE_MS } = this.options;
    const deadline = setTimeout(
      () => refuse(`was requested, but no TLS ClientHello arrived within ${plural(handshakeMs / 1_000, 'second')}`),
      handshakeMs,
    );
    const checked = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        const result = handshake.check(chunk);
        // After a refusal, do not call `done`, so that no more data is forwarded.
        if ('refused' in result) return refuse(result.refused);
        for (const bytes of result.passed) checked.push(bytes);
        if (handshake.hasPassed) clearTimeout(deadline);
        done();
      },
    });
    // When the host closes its connection, data already received from the host is still sent to the client.
    const endClient = () => client.destroySoon();
    client
      .setTimeout(SILENT_MS, () => client.destroy())
      .on('close', () => {
        clearTimeout(deadline);
        far.destroy();
      });
    far.setTimeout(SILENT_MS, () => far.destroy()).on('close', endClient);
    if (head.length > 0) checked.write(head);
    client.pipe(checked).pipe(far);
    far.pipe(client);
  }

  /** Returns the addresses to connect to, or the reason for a refusal. */
  async #targetOf(host: string, port: number): Promise<Target | string> {
    if (port !== HTTPS) return `can only be reached on port ${HTTPS}`;
    const allowed = findHost(this.options.hosts, host);
    if (!allowed) return 'is not one of the allowed hosts';
    const isAddress = isIP(host) !== 0;
    const addresses = isAddress ? [host] : await this.#lookup(host);
    if (addresses.length === 0) return 'could not be resolved';
    if (!allowed.canBePrivate && !addresses.every(isPublic)) return 'resolves to an address that is not public';
    return { addresses, canBeUnnamed: isAddress && allowed.canBePrivate };
  }

  #lookup(host: string): Promise<readonly string[]> {
    const asked = this.#lookups.get(host);
    if (asked) return asked;
    const lookup = this.options.lookup(host).catch(() => []);
    this.#lookups.set(host, lookup);
    return lookup.finally(() => this.#lookups.delete(host));
  }

  async #connected(addresses: readonly string[]): Promise<Socket | null> {
    for (const address of addresses) {
      const socket = this.#connect(address, HTTPS).setTimeout(CONNECT_MS);
      this.#track(socket);
      const isOpen = await new Promise<boolean>((resolve) => {
        socket.once('connect', () => resolve(true));
        socket.once('timeout', () => resolve(false));
        socket.once('error', () => resolve(false));
        socket.once('close', () => resolve(false));
      });
      socket.on('error', () => socket.destroy());
      if (isOpen) return socket;
      socket.destroy();
    }
    return null;
  }

  #track(socket: Socket) {
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
  }
}

/** Sends a final response, and closes the connection once the client has closed its side. */
function endWith(client: Socket, bytes: string | Buffer) {
  client.setTimeout(REFUSED_MS, () => client.destroy());
  client.end(bytes);
  client.resume();
}

/** Parses `host:port` (RFC 9110, section 9.3.6). A missing port becomes 0. */
function authorityOf(authority: string): { readonly host: string; readonly port: number } {
  const at = authority.lastIndexOf(':');
  const port = Number(authority.slice(at + 1));
  const host = authority
    .slice(0, Math.max(at, 0))
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()
    .slice(0, 255);
  return { host: host.replace(/\.$/, ''), port: at > 0 && Number.isInteger(port) ? port : 0 };
}
