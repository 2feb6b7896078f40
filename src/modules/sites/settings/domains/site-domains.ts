import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { SiteDomainEvent } from '../../../../events/site/site-domain.events.js';
import type { ActorContext, Caller, CommandContext } from '../../../../kernel/command-context.js';
import { type DomainSite, DomainSites, type ToldSite } from '../../../../kernel/ports/domain-sites.js';
import { assertCanManage } from '../../site/assert-access.decide.js';
import type { LiveSite } from '../../site/site.state.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { SiteReader } from '../../site/site-reader.js';
import { decideTellDomain } from './tell-domain.decide.js';

export class TellDomainOfSite extends SiteCommand(decideTellDomain) {}

/** Looks up and changes sites for the domains module. */
@Injectable()
export class SiteDomains extends DomainSites<SiteDomainEvent> {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
    @Inject(SiteReader) private readonly reader: Pick<SiteReader, 'getFor'>,
  ) {
    super();
  }

  override async ownedBy(slug: string, context: CommandContext) {
    const { siteId, state } = await this.directory.get(slug, context.at);
    return toDomains(siteId, assertCanManage(state, context));
  }

  override readBy(slug: string, caller: Caller) {
    return this.reader.getFor(slug, caller);
  }

  override async find(siteId: string) {
    const { state } = await this.directory.stateOf(siteId);
    return state.status === 'live' ? toDomains(siteId, state) : null;
  }

  override async tell(
    siteId: string,
    hostname: string,
    events: readonly SiteDomainEvent[],
    context: ActorContext,
  ): Promise<ToldSite> {
    return this.commands.execute(new TellDomainOfSite({ context, siteId, hostname, events }));
  }
}

const toDomains = (siteId: string, { slug, passwordId, members, domains }: LiveSite): DomainSite => ({
  siteId,
  slug,
  hasPassword: passwordId !== null,
  owners: Object.keys(members).filter((userId) => members[userId]?.role === 'owner'),
  domains,
});
