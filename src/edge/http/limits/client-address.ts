import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { isIpAddress, LOOPBACK } from '../server/hosts/hosts.js';

/**
 * Headers in which a proxy describes the request that it forwards. An untrusted proxy might pass on its client's
 * headers.
 */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

const UNKNOWN = 'unknown';

/** Maximum number of cached addresses. Every request on an open connection looks up its address in this cache. */
const PEERS = 1_000;

export class ClientAddress {
  readonly #trusted = new BlockList();
  readonly #loopback = listOf(['127.0.0.0/8', '::1']);
  /** Addresses of direct clients, keyed by the notation in which the operating system reports them. */
  readonly #direct = new LRUCache<string, string>({ max: PEERS });

  /** `trusted` lists addresses and CIDR ranges, such as `10.0.0.0/8` or `::1`. Throws if it contains anything else. */
  constructor(trusted: readonly string[]) {
    this.#trusted = listOf(trusted);
  }

  /**
   * Returns the client's IP address. For a direct client, this is the peer's address. Behind trusted proxies, it is the
   * last address in `x-forwarded-for` that does not belong to a trusted proxy, because the client may have written the
   * addresses before it. If a proxy names no client, returns the proxy's address. Returns `unknown` for anything that
   * is not an IP address.
   */
  addressOf(request: IncomingMessage): string {
    return this.addressBehind(request.socket.remoteAddress ?? '', forwardedFor(request));
  }

  /** Returns the client’s address. `forwarded` contains the joined values of `x-forwarded-for`. */
  addressBehind(peer: string, forwarded: string | null): string {
    const known = this.#direct.get(peer);
    if (known !== undefined) return known;
    let address = bareAddress(peer);
    if (!contains(this.#trusted, address)) {
      this.#direct.set(peer, address);
      return address;
    }
    const hops = forwarded === null ? [] : forwarded.split(',');
    while (contains(this.#trusted, address)) {
      const hop = hops.pop();
      if (hop === undefined) break;
      address = bareAddress(hop);
    }
    return address;
  }

  /** Returns the scheme that a trusted proxy reports, or null. */
  schemeBehind(peer: string, said: string | null): 'http' | 'https' | null {
    if (said === null || !contains(this.#trusted, bareAddress(peer))) return null;
    const last = said.split(',').at(-1)?.trim().toLowerCase();
    return last === 'https' || last === 'http' ? last : null;
  }

  /** Returns the address at the other end of a connection, or null if that is a trusted proxy. */
  ofConnection(socket: Socket): string | null {
    const peer = peerOf(socket);
    return contains(this.#trusted, peer) ? null : peer;
  }

  /**
   * Returns the IP address of the client behind a trusted proxy. Returns null for a direct client, and if the proxy
   * names no client.
   */
  behindProxy(request: IncomingMessage): string | null {
    if (!contains(this.#trusted, peerOf(request.socket))) return null;
    const address = this.addressOf(request);
    return contains(this.#trusted, address) ? null : address;
  }

  /**
   * Reports whether a request comes from this machine or a trusted proxy itself, rather than from a client behind them.
   * Some proxies add no header about their client. A request without such a header must therefore have a Host header
   * with `localhost` or an IP address, and with the port on which the request arrived. A client behind a proxy can send
   * any `Host`, but knows only the proxy's port.
   */
  isInternal(request: IncomingMessage): boolean {
    const isForwarded = FORWARDED.some((name) => name in request.headers);
    if (isForwarded && !contains(this.#trusted, peerOf(request.socket))) return false;
    const address = this.addressOf(request);
    if (!contains(this.#loopback, address) && !contains(this.#trusted, address)) return false;
    return isForwarded || (isByAnyClient(request) && isToThisPort(request));
  }

  /**
   * Reports whether the request seems to come from this machine or a trusted proxy itself, because no header indicates
   * forwarding. A request that a proxy forwards without such a header also passes, so use this only where that is
   * harmless.
   */
  isPeerItself(request: IncomingMessage): boolean {
    const peer = peerOf(request.socket);
    const isForwarded = FORWARDED.some((name) => name in request.headers);
    return !isForwarded && isByAnyClient(request) && (contains(this.#loopback, peer) || contains(this.#trusted, peer));
  }
}

/** Excludes HTTP/1.0. By default, nginx forwards with HTTP/1.0 and adds no headers that reveal the forwarding. */
const isByAnyClient = ({ httpVersion }: IncomingMessage) => httpVersion !== '1.0';

/**
 * Reports whether the Host header contains an IP address or a loopback name, and the port on which the request arrived.
 * A proxy that passes on the client’s `Host` listens on a different port.
 */
function isToThisPort({ headers: { host = '' }, socket }: IncomingMessage): boolean {
  const [name = '', port = '80'] = /^(.*?)(?::(\d+))?$/.exec(host.toLowerCase())?.slice(1) ?? [];
  return (LOOPBACK.has(name) || isIpAddress(name)) && Number(port) === socket.localPort;
}

const peerOf = ({ remoteAddress }: Pick<Socket, 'remoteAddress'>) => bareAddress(remoteAddress ?? '');

/** Returns the network of a subscriber: an IPv4 address, or the /64 network of an IPv6 address (RFC 6177). */
export function computeNetwork(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.toLowerCase().split('%', 1).join('').split('::');
  const leading = head === '' ? [] : head.split(':');
  const trailing = tail ? tail.split(':') : [];
  // A dotted IPv4 ending stands for two groups of an IPv6 address. It is never part of the network, which is the first
  // four groups.
  const missing = 8 - leading.length - trailing.length - (address.includes('.') ? 1 : 0);
  const groups =
    tail === undefined ? leading : [...leading, ...Array<string>(Math.max(0, missing)).fill('0'), ...trailing];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

function listOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const type = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, type);
    else list.addSubnet(address, Number(prefix), type);
  }
  return list;
}

const contains = (list: BlockList, address: string) => {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
};

function forwardedFor({ headers }: IncomingMessage): string | null {
  const header = headers['x-forwarded-for'];
  return header === undefined ? null : String(header);
}

/** Returns an address without port, brackets and the prefix of a mapped IPv4 address, or `unknown`. */
function bareAddress(text: string): string {
  const trimmed = text.trim();
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed;
  const address = bare.replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(address) === 0 ? UNKNOWN : address;
}
