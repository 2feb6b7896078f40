import type { SiteDomainEvent } from '../../../../events/site/site-domain.events.js';
import type { Site } from '../../site/state/site.state.js';

/** Events of a hostname to copy to the site's history. They have the same revision as in the hostname's stream. */
export type TellDomain = { readonly hostname: string; readonly events: readonly SiteDomainEvent[] };

/** Copies each event of a domain to the site's history once. Records nothing if the site no longer exists. */
export function decideTellDomain(site: Site, { hostname, events }: TellDomain): readonly SiteDomainEvent[] {
  if (site.status !== 'live') return [];
  const told = Object.hasOwn(site.domains, hostname) ? (site.domains[hostname]?.revision ?? 0) : 0;
  return events.filter(({ data }) => data.revision > told);
}
