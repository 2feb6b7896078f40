import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { SiteDomainEvent } from '../../../events/site/site-domain.events.js';
import { type ActorContext, bySystem } from '../../../kernel/command-context.js';
import type { Head } from '../../../kernel/event-store.js';
import { decideTellDomain } from '../settings/domains/tell-domain.decide.js';
import { decideServerCrash } from '../settings/servers/crash.decide.js';
import { SiteCommand } from '../site/site-command.js';

export class RecordDomainOnSite extends SiteCommand(decideTellDomain) {}

export class RecordServerCrash extends SiteCommand(decideServerCrash) {}

/** `position` is the position of the write in the event log, or null if nothing was written. */
export type SiteRecord = { readonly head: Head; readonly position: bigint | null };

@Injectable()
export class SiteHistory {
  constructor(private readonly commands: CommandBus) {}

  /** Records changes to a hostname of the site. Skips changes that were already recorded. */
  async recordDomain(
    siteId: string,
    hostname: string,
    events: readonly SiteDomainEvent[],
    context: ActorContext,
  ): Promise<SiteRecord> {
    return this.commands.execute(new RecordDomainOnSite({ context, siteId, hostname, events }));
  }

  async recordServerCrash(siteId: string, deployId: string, reason: string): Promise<void> {
    const context = bySystem(new Date().toISOString());
    await this.commands.execute(new RecordServerCrash({ context, siteId, deployId, reason }));
  }
}
