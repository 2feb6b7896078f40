import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { DeployRow } from '../../../projections/models/deploy.projection.js';
import type { ServedSite } from '../sites/served-site.js';

/** A visitor who has a page open for longer than so many deploys loads it again. */
const KEPT = 5;

/** Which programs a site showed before the one that it shows now. */
@Injectable()
export class EarlierPrograms {
  /** Each change of a site makes another object: what was found for one holds as long as it does. */
  readonly #known = new WeakMap<ServedSite, Promise<readonly string[]>>();

  constructor(@InjectRepository(DeployRow) private readonly deploys: Repository<DeployRow>) {}

  /** Digests of servers of Next.js, the one that was live last first. */
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
      // One that was never live has shown no page to any visitor.
      .andWhere('deploy.liveFrom is not null')
      .andWhere('deploy.deployId <> :deployId', { deployId })
      .orderBy('deploy.liveFrom', 'DESC')
      .limit(KEPT)
      .getMany();
    return rows.map(({ manifest }) => manifest);
  }
}
