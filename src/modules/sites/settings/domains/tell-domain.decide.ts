import type { SiteDomainEvent } from '../../../../events/site/site-domain.events.js';
import type { Site } from '../../site/site.state.js';

/** Events that stand at one place of a hostname's stream. */
export type TellDomain = { readonly hostname: string; readonly events: readonly SiteDomainEvent[] };

/** The site's history tells what happened to its domain, each thing once. One that is gone has nothing more to tell. */
export function decideTellDomain(site: Site, { hostname, events }: TellDomain): readonly SiteDomainEvent[] {
  if (site.status !== 'live') return [];
  const told = Object.hasOwn(site.domains, hostname) ? (site.domains[hostname]?.revision ?? 0) : 0;
  return events.filter(({ data }) => data.revision > told);
}
