import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { type HostLookup, isPublic } from '../../adapters/network/public-address.js';
import { listenAt } from '../workspace/socket-path.js';
import { type Hosts, hostIn } from './hosts.js';

/** Why a connection was refused, in words that complete “{host} …”. */
export type OnRefused = (host: string, why: string) => void;

/** Begins a connection to an address that was checked. */
export type Connect = (address: string, port: number) => Socket;

export type EgressOptions = {
  /** The only hosts that are connected to. */
  readonly hosts: Hosts;
  readonly lookup: HostLookup;
  /** Directly, if not told otherwise. */
  readonly connect?: Connect;
  /** Called for each connection that is refused. */
  readonly onRefused: OnRefused;
};

const HTTPS = 443;
/** A package manager has a few dozen. */
const MOST_CONNECTIONS = 256;
/** Of one request line and its headers. */
const HEADERS_MS = 10_000;
const HEADERS_BYTES = 4_096;
const CONNECT_MS = 10_000;
const SILENT_MS = 120_000;

/**
 * The only way out of a build: an HTTP proxy that knows CONNECT and nothing else, to the hosts that are allowed, on port
 * 443. It looks names up itself and connects to the very addresses it has checked, so that no name can be made to lead
 * into the network of this machine (DNS rebinding). What goes through is TLS, which it does not open.
 */
export class EgressProxy {
  readonly #open = new Set<Socket>();
  /** Those under way, by host: however often it is asked, one occupies the machine at a time. */
  readonly #lookups = new Map<string, Promise<readonly string[]>>();

  readonly #connect: Connect;

  private constructor(
    private readonly server: Server,
    private readonly options: EgressOptions,
  ) {
    this.#connect = options.connect ?? ((address, port) => connect({ host: address, port }));
    server.maxConnections = MOST_CONNECTIONS;
    server.on('connection', (socket: Socket) => this.#track(socket));
    server.on('request', (_request, response) => {
      response.writeHead(405, { connection: 'close' }).end('This proxy only supports CONNECT to port 443.\n');
    });
    server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      void this.#tunnel(request.url ?? '', socket, head);
    });
    server.on('clientError', (_fault, socket) => socket.destroy());
  }

  /** Listens on a socket in the file system, which is made. */
  static async listen(path: string, options: EgressOptions): Promise<EgressProxy> {
    const server = createServer({
      keepAlive: false,
      headersTimeout: HEADERS_MS,
      requestTimeout: HEADERS_MS,
      connectionsCheckingInterval: HEADERS_MS / 10,
      maxHeaderSize: HEADERS_BYTES,
    });
    const proxy = new EgressProxy(server, options);
    await listenAt(server, path);
    return proxy;
  }

  /** Ends it and every connection through it. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.#open) socket.destroy();
    await closed;
  }

  async #tunnel(authority: string, client: Socket, head: Buffer): Promise<void> {
    client.on('error', () => client.destroy());
    const { host, port } = authorityOf(authority);
    const addresses = await this.#addressesOf(host, port);
    if (typeof addresses === 'string') {
      this.options.onRefused(host, addresses);
      client.end(`HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n${host} ${addresses}.\n`);
      return;
    }
    const far = await this.#connected(addresses);
    if (!far) {
      client.end('HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\n\r\n');
      return;
    }
    if (client.destroyed) return void far.destroy();
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) far.write(head);
    for (const [from, to] of [
      [client, far],
      [far, client],
    ] as const) {
      from.setTimeout(SILENT_MS, () => from.destroy());
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  }

  /** Returns the addresses to connect to, or the reason why the connection is refused. */
  async #addressesOf(host: string, port: number): Promise<readonly string[] | string> {
    if (port !== HTTPS) return `can only be reached on port ${HTTPS}`;
    const allowed = hostIn(this.options.hosts, host);
    if (!allowed) return 'is not one of the allowed hosts';
    const addresses = isIP(host) ? [host] : await this.#lookup(host);
    if (addresses.length === 0) return 'could not be resolved';
    return allowed.canBePrivate || addresses.every(isPublic) ? addresses : 'resolves to an address that is not public';
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

/** `host:port` of a CONNECT (RFC 9110 section 9.3.6); a port of 0 where there is none. */
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
