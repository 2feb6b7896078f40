import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { SiteShares } from '../../../kernel/ports/site-shares.js';
import { MembershipRow } from '../../../projections/models/member.projection.js';

/** Sites count towards their longest-standing owner; a site without an owner is on its own. */
@Injectable()
export class SharesByOwner extends SiteShares {
  constructor(@InjectRepository(MembershipRow) private readonly memberships: Repository<MembershipRow>) {
    super();
  }

  override async shareOf(siteId: string): Promise<string> {
    const owner = await this.memberships.findOne({
      where: { siteId, kind: 'member', role: 'owner' },
      order: { since: 'asc', id: 'asc' },
      select: { id: true, userId: true },
    });
    return owner?.userId ? `user:${owner.userId}` : `site:${siteId}`;
  }
}
