import { Injectable } from '@nestjs/common';
import { SiteNetworks } from '../../../accounts/shares/site-networks.js';
import { computeSiteShare, type Share } from '../../../kernel/shares/share.js';
import { SiteDirectory } from '../site/site-directory.js';
import type { Site } from '../site/state/site.state.js';

/**
 * Determines whose limits apply to a site: those of its longest-standing owner, or those of the network that created
 * the site if it has no owner.
 */
@Injectable()
export class SiteShares {
  constructor(
    private readonly directory: SiteDirectory,
    private readonly networks: SiteNetworks,
  ) {}

  /**
   * Returns the user or network whose limits apply to the site. Reads the log, so the result is current. The site does
   * not have to exist yet.
   */
  async shareOf(siteId: string): Promise<Share> {
    const { state } = await this.directory.stateOf(siteId);
    return this.shareOfState(siteId, state);
  }

  /** Like `shareOf`, for a site whose state was already read. */
  async shareOfState(siteId: string, state: Site): Promise<Share> {
    const owners = state.status === 'live' ? state.owners : [];
    return computeSiteShare({ owners, network: owners.length > 0 ? null : await this.networks.find(siteId) });
  }
}
