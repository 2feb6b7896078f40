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

/** The end of the site’s stream after a write, and the position of the write in the log; null if nothing was written. */
export type SiteRecord = { readonly head: Head; readonly position: bigint | null };

/** Records on a site what happened to something else that belongs to it. */
@Injectable()
export class SiteHistory {
  constructor(private readonly commands: CommandBus) {}

  /** Copies what one event of the hostname’s stream means for the site. What was copied before is not copied again. */
  async recordDomain(
    siteId: string,
    hostname: string,
    events: readonly SiteDomainEvent[],
    context: ActorContext,
  ): Promise<SiteRecord> {
    return this.commands.execute(new RecordDomainOnSite({ context, siteId, hostname, events }));
  }

  /** Records that the server of a deploy crashed. Records nothing if that deploy has just crashed, or the site is gone. */
  async recordServerCrash(siteId: string, deployId: string, reason: string): Promise<void> {
    const context = bySystem(new Date().toISOString());
    await this.commands.execute(new RecordServerCrash({ context, siteId, deployId, reason }));
  }
}
