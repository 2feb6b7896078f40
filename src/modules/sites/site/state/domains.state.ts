import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { SiteDomainEvent } from '../../../../events/site/site-domain.events.js';

/** A hostname as recorded in the site's history. The hostname's own stream decides which site has it. */
export type KnownDomain = {
  /** Revision of the last event copied here from the hostname's stream. */
  readonly revision: number;
  readonly status: 'pending' | 'active' | 'lost' | 'failed' | 'removed';
  /** Another domain of the site to which this domain redirects its visitors, or null if this domain shows the site. */
  readonly redirectTo: string | null;
};

export type DomainsState = {
  /** Domains by hostname. Removed domains remain here, so that none of their events is copied twice. */
  readonly domains: Readonly<Record<string, KnownDomain>>;
};

export const noDomains: DomainsState = { domains: {} };

export const domainsVersion = 1;

export function evolveDomains({ domains }: DomainsState, event: SiteEvent): DomainsState | null {
  switch (event.type) {
    case 'SiteDomainAdded':
    case 'SiteDomainChanged':
    case 'SiteDomainActivated':
    case 'SiteDomainMissed':
    case 'SiteDomainFound':
    case 'SiteDomainLost':
    case 'SiteDomainFailed':
    case 'SiteDomainRemoved': {
      const { hostname, revision } = event.data;
      const known = Object.hasOwn(domains, hostname) ? domains[hostname] : undefined;
      const { status, redirectTo } = known ?? { status: 'pending', redirectTo: null };
      return { domains: { ...domains, [hostname]: { status, redirectTo, ...changeBy(event), revision } } };
    }
    default:
      return null;
  }
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
