import { Inject, Injectable } from '@nestjs/common';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { ConnectorSites } from '../../../../kernel/ports/connector-sites.js';
import { assertCanRead, assertIsOwner } from '../../site/assert-access.decide.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { canUseToken } from './connector-token.decide.js';

/** Looks up sites for the connector module, in the log. */
@Injectable()
export class SiteConnectors extends ConnectorSites {
  constructor(@Inject(SiteDirectory) private readonly directory: SiteDirectory) {
    super();
  }

  override async readBy(slug: string, context: CommandContext) {
    const { siteId, state } = await this.directory.get(slug, context.at);
    return { siteId, slug: assertCanRead(state, context).slug };
  }

  override async ownedBy(slug: string, context: CommandContext) {
    const { siteId, state } = await this.directory.get(slug, context.at);
    return { siteId, slug: assertIsOwner(state, context).slug };
  }

  override async isThere(siteId: string) {
    const { state } = await this.directory.stateOf(siteId);
    return state.status === 'live';
  }

  override async canUseToken(siteId: string, tokenId: string) {
    const { state } = await this.directory.stateOf(siteId);
    return canUseToken(state, tokenId);
  }
}
