import type { SiteDomainEvent } from '../../../events/site/site-domain.events.js';

/** What the site's history has told of a hostname last. Which site has it is decided in the hostname's own stream. */
export type KnownDomain = {
  /** Of the event of the hostname's stream that was told last. */
  readonly revision: number;
  readonly status: 'pending' | 'active' | 'lost' | 'failed' | 'removed';
  /** Another domain of the site, which it sends visitors on to; null where it shows the site itself. */
  readonly redirectTo: string | null;
};

/** By hostname. One that was removed stays here, so that nothing is told of it twice. */
export type KnownDomains = Readonly<Record<string, KnownDomain>>;

export function evolveDomains(domains: KnownDomains, { type, data }: SiteDomainEvent): KnownDomains {
  const { hostname, revision } = data;
  const known = Object.hasOwn(domains, hostname) ? domains[hostname] : undefined;
  const { status, redirectTo } = known ?? { status: 'pending', redirectTo: null };
  return { ...domains, [hostname]: { status, redirectTo, ...changeBy({ type, data } as SiteDomainEvent), revision } };
}

function changeBy({ type, data }: SiteDomainEvent): Partial<KnownDomain> {
  switch (type) {
    case 'SiteDomainAdded':
      return { status: 'pending', redirectTo: data.redirectTo };
    case 'SiteDomainChanged':
      return { redirectTo: data.redirectTo };
    case 'SiteDomainActivated':
      return { status: 'active' };
    case 'SiteDomainLost':
      return { status: 'lost' };
    case 'SiteDomainFailed':
      return { status: 'failed' };
    case 'SiteDomainRemoved':
      return { status: 'removed', redirectTo: null };
    default:
      return {};
  }
}
