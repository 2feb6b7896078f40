import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { domainStream, type HostnameEvent, sitesOf } from '../../../events/domain.events.js';
import type { SiteDomainEvent } from '../../../events/site-domain.events.js';
import { bySystem } from '../../../kernel/command-context.js';
import { EventStore, type Recorded } from '../../../kernel/event-store.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { DomainSites, type ToldSite } from '../../../kernel/ports/domain-sites.js';
import { pollLoop } from '../../../process/nest/poll-loop.js';
import { DomainRow } from '../../../projections/models/domain.projection.js';
import { DomainCommand } from '../domain-command.js';
import { decideRelease } from '../remove/remove.decide.js';
import { trailOf } from './trail-of.js';

export class ReleaseDomain extends DomainCommand(decideRelease) {}

/** How often it looks for what a process that ended has left untold. */
const LOOK_EVERY_MS = 10_000;
/** What is younger is most likely being told just now. */
const PAGE = 200;

const telling = new BackgroundTask('tell_sites_of_their_domains');

/**
 * Tells in the history of each site what happened to its domains: whose a hostname is was decided in the hostname’s own
 * stream before. Each thing is told once, however many processes do so, and whenever one of them ends.
 */
@Injectable()
export class DomainTrail {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(EventStore) private readonly store: EventStore,
    @Inject(DomainSites) private readonly sites: DomainSites<SiteDomainEvent>,
    @InjectRepository(DomainRow) private readonly rows: Repository<DomainRow>,
  ) {}

  /** From now on what was left untold is told, by whichever process. */
  start(signal: AbortSignal) {
    void pollLoop({ name: 'finish_domain_histories', everyMs: LOOK_EVERY_MS, signal }, () => this.#finish());
  }

  /**
   * Tells the sites that these events are about. Never rejects: what cannot be told now is told later. Answers how the
   * stream of `siteId` stands after it, where that is known.
   */
  async tell(hostname: string, events: readonly HostnameEvent[], siteId: string): Promise<ToldSite | null> {
    const concerned = new Set(events.flatMap(sitesOf));
    let own: ToldSite | null = null;
    for (const each of concerned)
      await telling.run(async () => {
        const told = await this.tellSite(hostname, each);
        if (each === siteId && told !== 'gone') own = told;
      });
    return own;
  }

  /** Tells the site all that it was not told yet, each thing with its own time and author. */
  async tellSite(hostname: string, siteId: string): Promise<ToldSite | 'gone' | null> {
    const site = await this.sites.find(siteId);
    if (!site) return 'gone';
    const known = Object.hasOwn(site.domains, hostname) ? site.domains[hostname] : undefined;
    const { events } = await this.store.read(domainStream(hostname), known?.revision ?? 0);
    let told: ToldSite | null = null;
    for (const event of events as Recorded<HostnameEvent>[]) {
      const trail = trailOf(event, siteId);
      if (trail.length > 0) told = await this.sites.tell(siteId, hostname, trail, event);
    }
    return told;
  }

  async #finish(): Promise<boolean> {
    const untold = await this.rows.find({ where: { untold: true }, order: { id: 'asc' }, take: PAGE });
    let hasMore = false;
    for (const { hostname, siteId } of untold) {
      const told = await this.tellSite(hostname, siteId);
      if (told === 'gone') await this.#release(hostname, siteId);
      hasMore ||= told !== null;
    }
    return hasMore && untold.length === PAGE;
  }

  async #release(hostname: string, siteId: string) {
    await this.commands.execute(new ReleaseDomain({ context: bySystem(new Date().toISOString()), hostname, siteId }));
  }
}
