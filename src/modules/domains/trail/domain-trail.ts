import { Inject, Injectable } from '@nestjs/common';
import { domainStream, type HostnameEvent, sitesOf } from '../../../events/domain.events.js';
import { EventStore, type Recorded } from '../../../kernel/event-store.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import { SiteHistory, type SiteRecord } from '../../sites/api/site-history.js';
import { trailOf } from './trail-of.js';

const telling = new BackgroundTask('tell_sites_of_their_domains');

/**
 * Tells in the history of each site what happened to its domains: whose a hostname is was decided in the hostname’s own
 * stream before. Each thing is told once, however many processes do so.
 */
@Injectable()
export class DomainTrail {
  constructor(
    @Inject(EventStore) private readonly store: EventStore,
    private readonly sites: SiteAccess,
    private readonly history: SiteHistory,
  ) {}

  /**
   * Tells the sites that these events are about. Never rejects: what cannot be told now is told later (`UntoldDomains`).
   * Answers how the stream of `siteId` stands after it; null where nothing was told there.
   */
  async tell(hostname: string, events: readonly HostnameEvent[], siteId: string): Promise<SiteRecord | null> {
    let own: SiteRecord | null = null;
    for (const each of new Set(events.flatMap(sitesOf)))
      await telling.run(async () => {
        const told = await this.tellSite(hostname, each);
        if (each === siteId && told !== 'gone') own = told;
      });
    return own;
  }

  /** Tells the site all that it was not told yet, each thing with its own time and author; null where it knows all. */
  async tellSite(hostname: string, siteId: string): Promise<SiteRecord | 'gone' | null> {
    const site = await this.sites.find(siteId);
    if (!site) return 'gone';
    const known = Object.hasOwn(site.domains, hostname) ? site.domains[hostname] : undefined;
    const { events } = await this.store.read(domainStream(hostname), known?.revision ?? 0);
    let told: SiteRecord | null = null;
    for (const event of events as Recorded<HostnameEvent>[]) {
      const trail = trailOf(event, siteId);
      if (trail.length > 0) told = await this.history.recordDomain(siteId, hostname, trail, event);
    }
    return told;
  }
}
