import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** What a proxy says of the request it hands on. One that is not trusted may have passed it through from a stranger. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

const UNKNOWN = 'unknown';

/** Who is at the other end. Only trusted proxies are believed when they speak for others. */
export class Peers {
  readonly #trusted = new BlockList();
  readonly #loopback = listOf(['127.0.0.0/8', '::1']);

  /** Addresses and CIDR ranges, such as `10.0.0.0/8` or `::1`. Throws when one is neither. */
  constructor(trusted: readonly string[]) {
    this.#trusted = listOf(trusted);
  }

  /**
   * The address of who asks: of the peer, or, behind trusted proxies, the last one in `x-forwarded-for` that is not
   * one of them (whatever stands before it, the asker may have written). `unknown` when a proxy names none.
   */
  addressOf(request: IncomingMessage): string {
    let address = plain(request.socket.remoteAddress ?? '');
    const hops = forwardedFor(request);
    while (has(this.#trusted, address)) {
      const before = hops.pop();
      if (before === undefined) break;
      address = plain(before);
    }
    return address;
  }

  /** Whether it comes from this machine or from a trusted proxy, and from nobody behind them. */
  isOurs(request: IncomingMessage): boolean {
    const peer = plain(request.socket.remoteAddress ?? '');
    if (!has(this.#trusted, peer) && FORWARDED.some((name) => name in request.headers)) return false;
    const address = this.addressOf(request);
    return has(this.#loopback, address) || has(this.#trusted, address);
  }
}

/** What one subscriber holds: an IPv4 address, or the /64 of an IPv6 address (RFC 6177). */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.toLowerCase().split('%', 1).join('').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  // A dotted end stands for two groups, but never among the first four.
  const missing = 8 - before.length - after.length - (address.includes('.') ? 1 : 0);
  const groups = tail === undefined ? before : [...before, ...Array<string>(Math.max(0, missing)).fill('0'), ...after];
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

const has = (list: BlockList, address: string) => {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
};

function forwardedFor({ headers }: IncomingMessage): string[] {
  const header = headers['x-forwarded-for'];
  return header === undefined ? [] : String(header).split(',');
}

/** Without a port, brackets, or the IPv6 form of an IPv4 address. */
function plain(text: string): string {
  const trimmed = text.trim();
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed;
  const address = bare.replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(address) === 0 ? UNKNOWN : address;
}
