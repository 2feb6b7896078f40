import { DomainChecker, type DomainFindings, type ZoneFacts } from '../../kernel/ports/outside/domain-checker.js';
import { authorization, caaNameOf } from './authorization.js';
import { direction } from './direction.js';
import { DnsLookup } from './dns-lookup.js';
import { OwnAddresses, resolvedAddresses } from './own-addresses.js';
import { ownership } from './ownership.js';

export type DnsCheckerOptions = {
  /** As `Resolver.setServers` takes them; null for those of the system. */
  readonly dnsServers: readonly string[] | null;
  /** Those that lead here; null for what the hosts of our sites resolve to. */
  readonly addresses: readonly string[] | null;
  /** {site_domain}, with or without its port. */
  readonly siteDomain: string;
  /** The directory of the authority that certificates come from. */
  readonly acmeUrl: string;
};

/** Of one check, in milliseconds: what is not known by then is `unknown`. */
const CHECK_WITHIN = 10_000;

/**
 * Asks resolvers of DNS. Each check has a resolver of its own, so that nothing is remembered of the one before, and none
 * is kept by another. What strangers wrote is shown cut and cleaned (`shownValues`).
 */
export class DnsDomainChecker extends DomainChecker {
  readonly #siteDomain: string;
  readonly #authority: string | null;

  constructor(
    private readonly options: DnsCheckerOptions,
    private readonly withinMs = CHECK_WITHIN,
  ) {
    super();
    this.#siteDomain = withoutPort(options.siteDomain);
    this.#authority = caaNameOf(options.acmeUrl);
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

  /** Rejects when `signal` does, and for no other reason. */
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
