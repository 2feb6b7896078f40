import { Inject, Injectable } from '@nestjs/common';
import type { Caller, CommandContext } from '../../../kernel/command-context.js';
import { TrafficSites } from '../../../kernel/ports/traffic-sites.js';
import { mayRead } from '../site/may-edit.decide.js';
import { SiteDirectory } from '../site/site-directory.js';

/** Sites as their traffic sees them, from the log. */
@Injectable()
export class SiteTraffic extends TrafficSites {
  constructor(@Inject(SiteDirectory) private readonly directory: SiteDirectory) {
    super();
  }

  override async readBy(slug: string, context: CommandContext) {
    const { siteId, state } = await this.directory.get(slug, context.at);
    const live = mayRead(state, context);
    return { siteId, slug: live.slug, isCounted: live.capabilities.analytics?.enabled ?? false };
  }

  override async mayStay(siteId: string, caller: Caller): Promise<void> {
    const { state } = await this.directory.stateOf(siteId);
    mayRead(state, { caller, at: new Date().toISOString() });
  }

  override async isThere(siteId: string) {
    const { state } = await this.directory.stateOf(siteId);
    return state.status === 'live';
  }
}
