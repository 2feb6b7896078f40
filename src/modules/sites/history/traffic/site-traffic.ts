import { Inject, Injectable } from '@nestjs/common';
import type { Caller, CommandContext } from '../../../../kernel/command-context.js';
import { type NameOf, type TrafficActor, TrafficSites } from '../../../../kernel/ports/traffic-sites.js';
import { assertCanRead, roleOf } from '../../site/assert-access.decide.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { ActorNames } from '../actor-names.js';

/** Looks up sites for the traffic module, in the log. */
@Injectable()
export class SiteTraffic extends TrafficSites {
  constructor(
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
    @Inject(ActorNames) private readonly names: ActorNames,
  ) {
    super();
  }

  override async readBy(slug: string, context: CommandContext) {
    const { siteId, state } = await this.directory.get(slug, context.at);
    const live = assertCanRead(state, context);
    return { siteId, slug: live.slug, isCounted: live.capabilities.analytics?.enabled ?? false };
  }

  override async assertCanStay(siteId: string, caller: Caller) {
    const { state } = await this.directory.stateOf(siteId);
    const live = assertCanRead(state, { caller, at: new Date().toISOString() });
    return { seesAddresses: roleOf(live, caller) === 'owner' };
  }

  override async namesFor(siteId: string, caller: Caller, actors: readonly TrafficActor[]): Promise<NameOf> {
    return (await this.names.of(siteId, caller, actors)).actor;
  }

  override async namesForAll(seesAddresses: boolean, actors: readonly TrafficActor[]): Promise<NameOf> {
    return (await this.names.for({ seesAddresses, self: null, siteId: null }, actors)).actor;
  }

  override async isThere(siteId: string) {
    const { state } = await this.directory.stateOf(siteId);
    return state.status === 'live';
  }
}
