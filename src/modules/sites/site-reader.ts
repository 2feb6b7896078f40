import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { type Caller, sameDigest } from '../../kernel/caller.js';
import { refuse } from '../../kernel/refusal.js';
import { SiteRow } from '../../projections/site.projection.js';

/** Finds sites in the read model, for those who may read them. */
@Injectable()
export class SiteReader {
  constructor(@InjectRepository(SiteRow) private readonly sites: Repository<SiteRow>) {}

  /** Refuses with `site_not_found`, `site_expired`, `taken_down`. */
  async get(slug: string): Promise<SiteRow> {
    const row = await this.sites.findOne({ where: { slug }, order: { createdAt: 'desc' } });
    if (!row) return refuse('site_not_found', `There is no site called “${slug.slice(0, 60)}”.`);
    // Gone at its very time, whether or not that was recorded yet.
    if (row.expiresAt && row.expiresAt.getTime() <= Date.now())
      return refuse('site_expired', 'The site’s time was over.');
    if (row.takenDown) return refuse('taken_down', 'The operator has taken this site down.');
    return row;
  }

  /** The site, for a caller who may read its deploys, files and history: the edit token, or a role on it. */
  async getFor(slug: string, { editTokenHash }: Caller): Promise<SiteRow> {
    const row = await this.get(slug);
    if (editTokenHash === null) return refuse('unauthenticated', 'Send the site’s edit token in x-svc-edit-token.');
    if (row.editTokenHash === null || !sameDigest(editTokenHash, row.editTokenHash)) {
      return refuse('edit_token_invalid', 'This edit token does not belong to this site.');
    }
    return row;
  }
}
