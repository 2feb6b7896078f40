import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { DeployRow } from '../../../projections/models/deploy.projection.js';
import type { ServedSite } from '../sites/served-site.js';

/**
 * Number of earlier deploys whose static files remain available. Visitors with an even older page have to reload it.
 */
const KEPT = 5;

@Injectable()
export class EarlierServers {
  /**
   * Digests of earlier servers by site. Entries never become outdated, because each change to a site creates a new
   * object.
   */
  readonly #known = new WeakMap<ServedSite, Promise<readonly string[]>>();

  constructor(@InjectRepository(DeployRow) private readonly deploys: Repository<DeployRow>) {}

  /** Returns the digests of the site's Next.js servers, most recently live first. */
  of(site: ServedSite): Promise<readonly string[]> {
    const known = this.#known.get(site);
    if (known) return known;
    const finding = this.#find(site);
    this.#known.set(site, finding);
    finding.catch(() => this.#known.delete(site));
    return finding;
  }

  async #find({ siteId, deployId }: ServedSite): Promise<readonly string[]> {
    const rows = await this.deploys
      .createQueryBuilder('deploy')
      .select(['deploy.deployId', 'deploy.manifest'])
      .where({ siteId, program: 'next' })
      .andWhere('deploy.liveFrom is not null')
      .andWhere('deploy.deployId <> :deployId', { deployId })
      .orderBy('deploy.liveFrom', 'DESC')
      .limit(KEPT)
      .getMany();
    return rows.map(({ manifest }) => manifest);
  }
}
