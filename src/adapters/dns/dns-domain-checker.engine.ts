import { DomainChecker, type DomainFindings, type ZoneFacts } from '../../kernel/ports/outside/domain-checker.js';
import { authorization, findCaaName } from './authorization.js';
import { direction } from './direction.js';
import { DnsLookup } from './dns-lookup.js';
import { OwnAddresses, resolvedAddresses } from './own-addresses.js';
import { ownership } from './ownership.js';

export type DnsCheckerOptions = {
  /** DNS servers in the format of `Resolver.setServers`. Null means the servers of this system. */
  readonly dnsServers: readonly string[] | null;
  /** Addresses of this service. Null means the addresses that our site hosts resolve to. */
  readonly addresses: readonly string[] | null;
  /** The host below which sites are served. It can include a port. */
  readonly siteDomain: string;
  readonly acmeUrl: string;
};

/** Time limit for one check, in milliseconds. Lookups that are not complete by then are `unknown`. */
const CHECK_TIMEOUT_MS = 10_000;

/**
 * Checks domains with DNS. Each check has its own resolver, so that checks neither share results nor delay each other.
 * Values from strangers are cleaned before they are displayed (`formatValueList`).
 */
export class DnsDomainChecker extends DomainChecker {
  readonly #siteDomain: string;
  readonly #authority: string | null;

  constructor(
    private readonly options: DnsCheckerOptions,
    private readonly withinMs = CHECK_TIMEOUT_MS,
  ) {
    super();
    this.#siteDomain = withoutPort(options.siteDomain);
    this.#authority = findCaaName(options.acmeUrl);
  }

  override check(
    claim: { readonly hostname: string; readonly token: string; readonly target: string },
    signal: AbortSignal,
  ): Promise<DomainFindings> {
    const { hostname } = claim;
    const target = withoutPort(claim.target);
    const isOurs = (name: string) => name === this.#siteDomain || name.endsWith(`.${this.#siteDomain}`);
    return this.#lookUp(signal, async (lookup) => {
      const [{ record, verified }, { records, leadsHere }, caa] = await Promise.all([
        ownership(lookup, claim),
        direction(lookup, hostname, target, isOurs, this.#ownAddresses(lookup, target)),
        authorization(lookup, hostname, this.#authority),
      ]);
      const all = [record, ...records, ...(caa.record === null ? [] : [caa.record])];
      return { records: all, verified, leadsHere, certifiable: caa.certifiable };
    });
  }

  override zoneFacts(
    { hostname, target }: { readonly hostname: string; readonly target: string },
    signal: AbortSignal,
  ): Promise<ZoneFacts> {
    return this.#lookUp(signal, async (lookup) => {
      const [isApex, { all }] = await Promise.all([
        lookup.isApex(hostname),
        this.#ownAddresses(lookup, withoutPort(target)),
      ]);
      return { isApex, addresses: all, authority: this.#authority };
    });
  }

  override isAnswered(hostname: string, signal: AbortSignal): Promise<boolean> {
    return this.#lookUp(signal, async (lookup) => (await lookup.a(withoutPort(hostname))) !== null);
  }

  /** Runs lookups within the time limit. Rejects only if `signal` is aborted. */
  async #lookUp<Found>(signal: AbortSignal, look: (lookup: DnsLookup) => Promise<Found>): Promise<Found> {
    signal.throwIfAborted();
    const ending = new AbortController();
    const within = AbortSignal.any([signal, ending.signal, AbortSignal.timeout(this.withinMs)]);
    try {
      const found = await look(new DnsLookup(this.options.dnsServers, within));
      signal.throwIfAborted();
      return found;
    } finally {
      ending.abort();
    }
  }

  #ownAddresses = async (lookup: DnsLookup, target: string) =>
    this.options.addresses === null
      ? resolvedAddresses(lookup, this.#siteDomain, target)
      : new OwnAddresses(this.options.addresses, true);
}

const withoutPort = (host: string) => host.toLowerCase().replace(/:\d+$/, '');
