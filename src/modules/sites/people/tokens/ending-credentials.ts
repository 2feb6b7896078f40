import { Injectable } from '@nestjs/common';
import { AccessTokenStore } from '../../../../accounts/tokens/access-tokens.js';
import { ConnectorTokenStore, TOKEN_REVOKED } from '../../../../accounts/tokens/connector-tokens.js';
import { PublisherStore } from '../../../../accounts/tokens/publishers.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import { WakeUps } from '../../../../kernel/ports/wake-ups.js';
import { InviteStore } from '../invite/invites.js';

/** Removes revoked tokens and publishers from their tables. If that fails, other checks still refuse them. */
@Injectable()
export class EndingCredentials {
  constructor(
    private readonly tokens: AccessTokenStore,
    private readonly publishers: PublisherStore,
    private readonly connectorTokens: ConnectorTokenStore,
    private readonly invites: InviteStore,
    private readonly wakeUps: WakeUps,
  ) {}

  /** Removes the tokens and publishers that these events ended. */
  async after(events: readonly SiteEvent[]): Promise<void> {
    await this.#endConnectorTokens(
      events.flatMap(({ type, data }) => (type === 'ConnectorTokenRevoked' ? [data.tokenId] : [])),
    );
    await this.tokens.end(events.flatMap(({ type, data }) => (type === 'AccessTokenRevoked' ? [data.tokenId] : [])));
    await this.publishers.end(
      events.flatMap(({ type, data }) => (type === 'PublisherRemoved' ? [data.publisherId] : [])),
    );
  }

  /** Deletes all credentials of a deleted site and the addresses of its invites. */
  async ofSite(siteId: string): Promise<void> {
    await this.tokens.dropOfSite(siteId);
    await this.publishers.dropOfSite(siteId);
    this.#tellEnded(await this.connectorTokens.removeAll(siteId));
    await this.invites.dropOfSite(siteId);
  }

  async #endConnectorTokens(tokenIds: readonly string[]): Promise<void> {
    await this.connectorTokens.end(tokenIds);
    this.#tellEnded(tokenIds);
  }

  /**
   * Tells all processes that these tokens were revoked. Each process then ends the tokens' polls and clears its cache
   * of agents.
   */
  #tellEnded(tokenIds: readonly string[]): void {
    for (const tokenId of tokenIds) this.wakeUps.tell(TOKEN_REVOKED, tokenId);
  }
}
