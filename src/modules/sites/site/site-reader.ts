import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { Caller } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import { probeSlug } from '../../../kernel/reserved-names.js';
import {
  assertAvailable,
  determineAccess,
  NO_ROLE,
  refuseAccess,
  type SiteRights,
} from '../../../kernel/rights/site-access.js';
import { buildMembershipFilter, MembershipRow } from '../../../projections/models/member.projection.js';
import { factsOfSite, SiteRow } from '../../../projections/models/site.projection.js';
import { SiteDirectory } from './site-directory.js';

/** Finds sites in the read model for callers who can read them. */
@Injectable()
export class SiteReader {
  constructor(
    @InjectRepository(SiteRow) private readonly sites: Repository<SiteRow>,
    @InjectRepository(MembershipRow) private readonly memberships: Repository<MembershipRow>,
    private readonly directory: SiteDirectory,
  ) {}

  /**
   * Returns a site. Refuses with `site_expired` or `taken_down`, or with `site_not_found` if the site is missing or
   * hidden.
   */
  async get(slug: string, caller: Caller): Promise<SiteRow> {
    const row = (await this.#find(slug)) ?? refuse('site_not_found');
    // The caller's role need not be looked up for a public site, which everyone can see.
    assertAvailable(await this.#access(row, caller, { looksUpRole: row.visibility !== 'public' }));
    return row;
  }

  /** Returns a site to callers with its edit token or any role on it, who can read its deploys, files and history. */
  async getFor(slug: string, caller: Caller): Promise<SiteRow> {
    const row = (await this.#find(slug)) ?? refuse('site_not_found');
    const access = await this.#access(row, caller, { looksUpRole: true });
    assertAvailable(access);
    return access.canRead ? row : refuseAccess(row, caller, NO_ROLE);
  }

  /** Most requests use the current slug of a site. Only the log contains former slugs. */
  async #find(slug: string): Promise<SiteRow | null> {
    // The service's probe creates a site with this slug each day. Until the previous site is deleted, two live rows have it.
    const row = slug === probeSlug ? null : await this.sites.findOneBy({ slug, status: 'live' });
    if (row) return row;
    const found = await this.directory.find(slug, new Date().toISOString());
    return found && this.sites.findOneBy({ siteId: found.siteId });
  }

  async #access(row: SiteRow, caller: Caller, { looksUpRole }: { readonly looksUpRole: boolean }): Promise<SiteRights> {
    const { siteId } = row;
    const { userId } = caller;
    const membership =
      looksUpRole && userId !== null
        ? await this.memberships.findOneBy({ siteId, ...buildMembershipFilter(userId, caller) })
        : null;
    return determineAccess(factsOfSite(row, membership), caller, new Date().toISOString());
  }
}
