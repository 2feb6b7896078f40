import { type HostnameEvent, readHostname } from '../../../events/domain.events.js';
import {
  SiteDomainActivated,
  SiteDomainAdded,
  SiteDomainChanged,
  type SiteDomainEvent,
  SiteDomainFailed,
  SiteDomainFound,
  SiteDomainLost,
  SiteDomainMissed,
  SiteDomainRemoved,
} from '../../../events/site/site-domain.events.js';
import type { Recorded } from '../../../kernel/event-store.js';

/**
 * Converts an event of a hostname to events for the history of a site. Returns an empty list if the event concerns only
 * other sites.
 */
export function toSiteEvents(
  { type, data, stream, revision }: Recorded<HostnameEvent>,
  siteId: string,
): SiteDomainEvent[] {
  const told = { hostname: readHostname(stream), revision };
  if (type === 'DomainMoved' && data.to === siteId) {
    const added = SiteDomainAdded({ ...told, redirectTo: null });
    return data.status === 'active' ? [added, SiteDomainActivated(told)] : [added];
  }
  if (type === 'DomainActivated' && data.replaced === siteId) return [SiteDomainLost(told)];
  if (data.siteId !== siteId) return [];

  switch (type) {
    case 'DomainAdded':
      return [SiteDomainAdded({ ...told, redirectTo: data.redirectTo })];
    case 'DomainChanged': {
      const { redirectTo, visibility, hsts } = data;
      return [SiteDomainChanged({ ...told, redirectTo, visibility, hsts })];
    }
    case 'DomainActivated':
      return [SiteDomainActivated(told)];
    case 'DomainMissed':
      return [SiteDomainMissed(told)];
    case 'DomainFound':
      return [SiteDomainFound(told)];
    case 'DomainLost':
      return [SiteDomainLost(told)];
    case 'DomainFailed':
      return [SiteDomainFailed(told)];
    case 'DomainMoved':
    case 'DomainRemoved':
      return [SiteDomainRemoved(told)];
    default:
      return [];
  }
}
