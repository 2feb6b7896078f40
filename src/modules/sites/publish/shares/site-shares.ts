import { Inject, Injectable } from '@nestjs/common';
import { SiteNetworks } from '../../../../accounts/shares/site-networks.js';
import { SiteShares } from '../../../../kernel/ports/site-shares.js';
import { type Share, shareOfSite } from '../../../../kernel/shares/share.js';
import { SiteDirectory } from '../../site/site-directory.js';

/** Determines the share of a site from the owners in the log, or from the network stored beside it. */
@Injectable()
export class SharesOfSites extends SiteShares {
  constructor(
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
    @Inject(SiteNetworks) private readonly networks: SiteNetworks,
  ) {
    super();
  }

  override async shareOf(siteId: string): Promise<Share> {
    const { state } = await this.directory.stateOf(siteId);
    const owners = state.status === 'live' ? state.owners : [];
    return shareOfSite({ owners, network: owners.length > 0 ? null : await this.networks.find(siteId) });
  }
}
