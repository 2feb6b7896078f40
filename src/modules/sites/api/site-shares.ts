import { Injectable } from '@nestjs/common';
import { SiteNetworks } from '../../../accounts/shares/site-networks.js';
import { computeSiteShare, type Share } from '../../../kernel/shares/share.js';
import { SiteDirectory } from '../site/site-directory.js';

/** Determines which share a site counts towards: that of its owners, or that of the network that created it. */
@Injectable()
export class SiteShares {
  constructor(
    private readonly directory: SiteDirectory,
    private readonly networks: SiteNetworks,
  ) {}

  /** Reads the log, so the result is current. The site does not have to exist yet. */
  async shareOf(siteId: string): Promise<Share> {
    const { state } = await this.directory.stateOf(siteId);
    const owners = state.status === 'live' ? state.owners : [];
    return computeSiteShare({ owners, network: owners.length > 0 ? null : await this.networks.find(siteId) });
  }
}
