import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { isIpAddress, LOOPBACK } from '../server/hosts/hosts.js';

/**
 * Headers in which a proxy describes the request that it forwards. An untrusted proxy may have passed them through from
 * its client.
 */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

const UNKNOWN = 'unknown';

/** Number of peers whose addresses are cached, since every request on an open connection looks its peer up. */
const PEERS = 1_000;

/** Finds the address of a client. Addresses reported by untrusted proxies are ignored. */
export class ClientAddress {
  readonly #trusted = new BlockList();
  readonly #loopback = listOf(['127.0.0.0/8', '::1']);
  /** Addresses of direct clients, by the notation of the operating system. */
  readonly #direct = new LRUCache<string, string>({ max: PEERS });

  /** `trusted` contains addresses and CIDR ranges, such as `10.0.0.0/8` or `::1`. Throws for any other entry. */
  constructor(trusted: readonly string[]) {
    this.#trusted = listOf(trusted);
  }

  /**
   * The client’s address: that of the peer or, behind trusted proxies, the last one in `x-forwarded-for` that does not
   * belong to a trusted proxy. Earlier ones may have been written by the client. `unknown` if a proxy names no client.
   */
  addressOf(request: IncomingMessage): string {
    return this.addressBehind(request.socket.remoteAddress ?? '', forwardedFor(request));
  }

  /**
   * The client’s address, given the peer’s address and the joined values of `x-forwarded-for` (null without the
   * header).
   */
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

  /** The scheme of the client’s request as reported by a trusted proxy; null if none reports it. */
  schemeBehind(peer: string, said: string | null): 'http' | 'https' | null {
    if (said === null || !contains(this.#trusted, bareAddress(peer))) return null;
    const last = said.split(',').at(-1)?.trim().toLowerCase();
    return last === 'https' || last === 'http' ? last : null;
  }

  /** The address of the client at the other end of a connection; null if that is a trusted proxy. */
  ofConnection(socket: Socket): string | null {
    const peer = peerOf(socket);
    return contains(this.#trusted, peer) ? null : peer;
  }

  /** The address of the client behind a trusted proxy; null for a direct client, or if the proxy names none. */
  behindProxy(request: IncomingMessage): string | null {
    if (!contains(this.#trusted, peerOf(request.socket))) return null;
    const address = this.addressOf(request);
    return contains(this.#trusted, address) ? null : address;
  }

  /**
   * Whether a request comes from this machine or from a trusted proxy itself, and not from a client behind either. A
   * proxy may not mention its client. Therefore a request without forwarding headers must name this machine by an IP
   * address or as `localhost`, and with the port on which it arrived: a client of such a proxy can send any `Host`, but
   * knows only the proxy’s port.
   */
  isInternal(request: IncomingMessage): boolean {
    const isForwarded = FORWARDED.some((name) => name in request.headers);
    if (isForwarded && !contains(this.#trusted, peerOf(request.socket))) return false;
    const address = this.addressOf(request);
    if (!contains(this.#loopback, address) && !contains(this.#trusted, address)) return false;
    return isForwarded || (isByAnyClient(request) && isToThisPort(request));
  }

  /**
   * Whether a request was made by this machine or by a trusted proxy itself, whatever its host name: no header says
   * that it was forwarded. Clients of a proxy that does not mention them pass as well, so use this only where that is
   * harmless.
   */
  isPeerItself(request: IncomingMessage): boolean {
    const peer = peerOf(request.socket);
    const isForwarded = FORWARDED.some((name) => name in request.headers);
    return !isForwarded && isByAnyClient(request) && (contains(this.#loopback, peer) || contains(this.#trusted, peer));
  }
}

/** By default, nginx forwards requests over HTTP/1.0 and adds no headers that would show it. */
const isByAnyClient = ({ httpVersion }: IncomingMessage) => httpVersion !== '1.0';

/** A proxy that keeps the client’s `Host` listens on another port than this one. */
function isToThisPort({ headers: { host = '' }, socket }: IncomingMessage): boolean {
  const [name = '', port = '80'] = /^(.*?)(?::(\d+))?$/.exec(host.toLowerCase())?.slice(1) ?? [];
  return (LOOPBACK.has(name) || isIpAddress(name)) && Number(port) === socket.localPort;
}

const peerOf = ({ remoteAddress }: Pick<Socket, 'remoteAddress'>) => bareAddress(remoteAddress ?? '');

/** The network of one subscriber: an IPv4 address, or the /64 of an IPv6 address (RFC 6177). */
export function computeNetwork(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.toLowerCase().split('%', 1).join('').split('::');
  const leading = head === '' ? [] : head.split(':');
  const trailing = tail ? tail.split(':') : [];
  // A dotted IPv4 ending counts as two groups, and is never among the first four.
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

/** An address without port, brackets, and the IPv6 prefix of a mapped IPv4 address; `unknown` for any other text. */
function bareAddress(text: string): string {
  const trimmed = text.trim();
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed;
  const address = bare.replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(address) === 0 ? UNKNOWN : address;
}
