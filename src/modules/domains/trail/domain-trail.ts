import { Injectable } from '@nestjs/common';
import { domainStream, type HostnameEvent, listAffectedSites } from '../../../events/domain.events.js';
import { EventStore, type Recorded } from '../../../kernel/event-store.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import { SiteHistory, type SiteRecord } from '../../sites/api/site-history.js';
import { toSiteEvents } from './to-site-events.js';

const telling = new BackgroundTask('tell_sites_of_their_domains');

/**
 * Copies the events of a hostname to the history of each site that they concern. The copies are only for information:
 * the hostname's own stream determines which site has it. Each event is copied once, even with several processes.
 */
@Injectable()
export class DomainTrail {
  constructor(
    private readonly store: EventStore,
    private readonly sites: SiteAccess,
    private readonly history: SiteHistory,
  ) {}

  /**
   * Records the events of a hostname in the histories of the sites they concern. Never rejects: `UntoldDomains` later
   * records events that fail here. Returns the new state of the stream of `siteId`, or null if nothing was recorded
   * there.
   */
  async tell(hostname: string, events: readonly HostnameEvent[], siteId: string): Promise<SiteRecord | null> {
    let own: SiteRecord | null = null;
    for (const each of new Set(events.flatMap(listAffectedSites)))
      await telling.run(async () => {
        const told = await this.tellSite(hostname, each);
        if (each === siteId && told !== 'gone') own = told;
      });
    return own;
  }

  /**
   * Records the events of a hostname that are missing from a site's history, each with its own time and author. Returns
   * null if none was missing, and `gone` if the site no longer exists.
   */
  async tellSite(hostname: string, siteId: string): Promise<SiteRecord | 'gone' | null> {
    const site = await this.sites.find(siteId);
    if (!site) return 'gone';
    const known = Object.hasOwn(site.domains, hostname) ? site.domains[hostname] : undefined;
    const { events } = await this.store.read(domainStream(hostname), known?.revision ?? 0);
    let told: SiteRecord | null = null;
    for (const event of events as Recorded<HostnameEvent>[]) {
      const trail = toSiteEvents(event, siteId);
      if (trail.length > 0) told = await this.history.recordDomain(siteId, hostname, trail, event);
    }
    return told;
  }
}
