import { Inject, Injectable } from '@nestjs/common';
import type { SiteEvent } from '../../../events/site/site.events.js';
import { Invites } from '../../../tables/people/invites.js';
import { AccessTokens } from '../../../tables/tokens/access-tokens.js';
import { Publishers } from '../../../tables/tokens/publishers.js';

/** Does in the tables what events say of tokens and publishers: without them a role decides, which is gone already. */
@Injectable()
export class EndingCredentials {
  constructor(
    @Inject(AccessTokens) private readonly tokens: AccessTokens,
    @Inject(Publishers) private readonly publishers: Publishers,
    @Inject(Invites) private readonly invites: Invites,
  ) {}

  /** Ends those that these events end. */
  async after(events: readonly SiteEvent[]): Promise<void> {
    await this.tokens.end(events.flatMap(({ type, data }) => (type === 'AccessTokenRevoked' ? [data.tokenId] : [])));
    await this.publishers.end(
      events.flatMap(({ type, data }) => (type === 'PublisherRemoved' ? [data.publisherId] : [])),
    );
  }

  /** Forgets all of a site that is gone, and the addresses that invites to it went to. */
  async ofSite(siteId: string): Promise<void> {
    await this.tokens.dropOfSite(siteId);
    await this.publishers.dropOfSite(siteId);
    await this.invites.dropOfSite(siteId);
  }
}
