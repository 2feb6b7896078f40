import type { SiteDomainEvent } from '../../../../events/site/site-domain.events.js';
import type { Site } from '../../site/state/site.state.js';

/** Events with the same revision in a hostname's stream. */
export type TellDomain = { readonly hostname: string; readonly events: readonly SiteDomainEvent[] };

/** Copies each event of a domain to the site's history once. Records nothing if the site no longer exists. */
export function decideTellDomain(site: Site, { hostname, events }: TellDomain): readonly SiteDomainEvent[] {
  if (site.status !== 'live') return [];
  const told = Object.hasOwn(site.domains, hostname) ? (site.domains[hostname]?.revision ?? 0) : 0;
  return events.filter(({ data }) => data.revision > told);
}
