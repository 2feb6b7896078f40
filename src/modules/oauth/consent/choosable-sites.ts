import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Not, type Repository } from 'typeorm';
import { MembershipRow } from '../../../projections/models/member.projection.js';
import { SiteRow } from '../../../projections/models/site.projection.js';

/** Maximum number of sites that the consent page lists. A longer list would be hard to look through. */
const MAX_SITES = 200;

export type ChoosableSite = {
  readonly siteId: string;
  readonly memberId: string;
  readonly slug: string;
  readonly role: 'owner' | 'editor' | 'viewer';
};

@Injectable()
export class ChoosableSiteReader {
  constructor(
    @InjectRepository(MembershipRow) private readonly memberships: Repository<MembershipRow>,
    @InjectRepository(SiteRow) private readonly sites: Repository<SiteRow>,
  ) {}

  /** Returns the user's most recently changed sites, sorted by name. */
  async of(userId: string): Promise<readonly ChoosableSite[]> {
    const roles = await this.memberships.findBy({ userId, kind: 'member' });
    const membershipOf = new Map(roles.map((row) => [row.siteId, row]));
    const rows = await this.sites.find({
      where: { siteId: In([...membershipOf.keys()]), status: Not('deleted') },
      order: { updatedAt: 'desc', siteId: 'desc' },
      take: MAX_SITES,
    });
    return rows
      .flatMap(({ siteId, slug }) => {
        const membership = membershipOf.get(siteId);
        return membership ? [{ siteId, slug, memberId: membership.id, role: membership.role }] : [];
      })
      .sort((a, b) => (a.slug < b.slug ? -1 : 1));
  }
}
