import { BlockList, isIPv6 } from 'node:net';
import type { DnsLookup } from './dns-lookup.js';

export class OwnAddresses {
  readonly #list = new BlockList();

  /** `isComplete` is false if this service might have further addresses. */
  constructor(
    readonly all: readonly string[],
    readonly isComplete: boolean,
  ) {
    for (const address of all) this.#list.addAddress(address, familyOf(address));
  }

  has = (address: string): boolean => this.#list.check(address, familyOf(address));

  /** Returns the addresses that a DNS record of the given type can contain. */
  of = (type: 'A' | 'AAAA'): readonly string[] => this.all.filter((address) => isIPv6(address) === (type === 'AAAA'));
}

const LOOPBACK = ['127.0.0.1', '::1'];

/** Resolves and returns the addresses of our hosts: the domain shared by all sites, and the host of the target site. */
export async function resolvedAddresses(lookup: DnsLookup, siteDomain: string, target: string): Promise<OwnAddresses> {
  if (siteDomain === 'localhost' || siteDomain.endsWith('.localhost')) return new OwnAddresses(LOOPBACK, true);
  const answers = await Promise.all(
    [siteDomain, target].flatMap((name): Promise<readonly string[] | null>[] => [lookup.a(name), lookup.aaaa(name)]),
  );
  return new OwnAddresses([...new Set(answers.flatMap((answer) => answer ?? []))], !answers.includes(null));
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');
