import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { isIpAddress, LOOPBACK } from '../server/hosts/hosts.js';

/**
 * Fields in which a proxy describes the request that it forwards. A proxy that is not trusted may have passed them
 * through from a stranger.
 */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

const UNKNOWN = 'unknown';

/** So many peers are remembered: each request of an open connection asks again. */
const PEERS = 1_000;

/** Finds the address of a client. Only trusted proxies are believed about whom they speak for. */
export class ClientAddress {
  readonly #trusted = new BlockList();
  readonly #loopback = listOf(['127.0.0.0/8', '::1']);
  /** The addresses of direct clients, by what the system calls them. */
  readonly #direct = new LRUCache<string, string>({ max: PEERS });

  /** `trusted` has addresses and CIDR ranges, such as `10.0.0.0/8` or `::1`. Throws if an entry is neither. */
  constructor(trusted: readonly string[]) {
    this.#trusted = listOf(trusted);
  }

  /**
   * The address of the client: that of the peer, or, behind trusted proxies, the last one in `x-forwarded-for` that is
   * not a trusted proxy (the client may have written those before it). `unknown` if a proxy names none.
   */
  addressOf(request: IncomingMessage): string {
    return this.addressBehind(request.socket.remoteAddress ?? '', forwardedFor(request));
  }

  /**
   * The address of the client, by that of the peer, and by all that `x-forwarded-for` says, as one list; null where
   * there is none.
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

  /** The scheme that a trusted proxy was asked by; null where none says it. */
  schemeBehind(peer: string, said: string | null): 'http' | 'https' | null {
    if (said === null || !contains(this.#trusted, bareAddress(peer))) return null;
    const last = said.split(',').at(-1)?.trim().toLowerCase();
    return last === 'https' || last === 'http' ? last : null;
  }

  /** The address of the client at the other end of a connection; null where that is a trusted proxy. */
  ofConnection(socket: Socket): string | null {
    const peer = peerOf(socket);
    return contains(this.#trusted, peer) ? null : peer;
  }

  /** The address of the client for whom a trusted proxy speaks; null for a direct client, or where none is named. */
  behindProxy(request: IncomingMessage): string | null {
    if (!contains(this.#trusted, peerOf(request.socket))) return null;
    const address = this.addressOf(request);
    return contains(this.#trusted, address) ? null : address;
  }

  /**
   * Whether a request comes from this machine or from a trusted proxy itself, and not from a client behind either. A
   * proxy may say nothing of whom it asks for. So, unless it does, the request has to name this machine by an IP address
   * or by `localhost`, with the port that it came in by: a client of such a proxy can send any address as `Host`, and the
   * port that it sees is another one.
   */
  isInternal(request: IncomingMessage): boolean {
    const isForwarded = FORWARDED.some((name) => name in request.headers);
    if (isForwarded && !contains(this.#trusted, peerOf(request.socket))) return false;
    const address = this.addressOf(request);
    if (!contains(this.#loopback, address) && !contains(this.#trusted, address)) return false;
    return isForwarded || (isByAnyClient(request) && isToThisPort(request));
  }

  /**
   * Whether a request is a program's own, of this machine or of a trusted proxy, by whatever name it asks: nothing says
   * that it is sent on for a client. Only for what may be known to a client of a proxy that says nothing of its clients.
   */
  isPeerItself(request: IncomingMessage): boolean {
    const peer = peerOf(request.socket);
    const isForwarded = FORWARDED.some((name) => name in request.headers);
    return !isForwarded && isByAnyClient(request) && (contains(this.#loopback, peer) || contains(this.#trusted, peer));
  }
}

/** Nginx asks in HTTP/1.0 where it was told nothing else, and then adds nothing of its own either. */
const isByAnyClient = ({ httpVersion }: IncomingMessage) => httpVersion !== '1.0';

/** A proxy that leaves `Host` as it was asked listens on another port than this one. */
function isToThisPort({ headers: { host = '' }, socket }: IncomingMessage): boolean {
  const [name = '', port = '80'] = /^(.*?)(?::(\d+))?$/.exec(host.toLowerCase())?.slice(1) ?? [];
  return (LOOPBACK.has(name) || isIpAddress(name)) && Number(port) === socket.localPort;
}

const peerOf = ({ remoteAddress }: Pick<Socket, 'remoteAddress'>) => bareAddress(remoteAddress ?? '');

/** The network of one subscriber: an IPv4 address, or the /64 of an IPv6 address (RFC 6177). */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.toLowerCase().split('%', 1).join('').split('::');
  const leading = head === '' ? [] : head.split(':');
  const trailing = tail ? tail.split(':') : [];
  // A dotted end counts as two groups, and is never among the first four.
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

/** An address without port, brackets, or the IPv6 form of an IPv4 address; `unknown` if it is none. */
function bareAddress(text: string): string {
  const trimmed = text.trim();
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed;
  const address = bare.replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(address) === 0 ? UNKNOWN : address;
}
