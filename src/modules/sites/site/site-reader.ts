import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { type Caller, sameDigest } from '../../../kernel/command-context.js';
import { refuse } from '../../../kernel/refusal.js';
import { probeSlug } from '../../../kernel/reserved-names.js';
import { MembershipRow, membershipsOf } from '../../../projections/models/member.projection.js';
import { SiteRow } from '../../../projections/models/site.projection.js';
import { refuseEditToken } from './assert-access.js';
import { SiteDirectory } from './site-directory.js';

/** Finds sites in the read model, for callers who may read them. */
@Injectable()
export class SiteReader {
  constructor(
    @InjectRepository(SiteRow) private readonly sites: Repository<SiteRow>,
    @InjectRepository(MembershipRow) private readonly memberships: Repository<MembershipRow>,
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
  ) {}

  /** Refuses with `site_not_found`, also for what the caller is not to know of, `site_expired`, `taken_down`. */
  async get(slug: string, caller: Caller): Promise<SiteRow> {
    const row = await this.#find(slug);
    if (!row || row.status === 'deleted') return refuse('site_not_found');
    if (row.visibility !== 'public' && !(await this.#isTheirs(row, caller))) return refuse('site_not_found');
    // A site is gone as soon as it expires, whether or not that has been recorded yet.
    if (row.expiresAt && row.expiresAt.getTime() <= Date.now())
      return refuse('site_expired', 'This site was published for a limited time, which has passed.');
    if (row.takenDown) return refuse('taken_down', 'The operator has taken this site down.');
    return row;
  }

  /** Most sites are asked for by the slug they have. Which site had it, or has it no more, is for the log to say. */
  async #find(slug: string): Promise<SiteRow | null> {
    // The probe has a new site each day: until the one before is ended, two rows are live under its slug.
    const row = slug === probeSlug ? null : await this.sites.findOneBy({ slug, status: 'live' });
    if (row) return row;
    const found = await this.directory.find(slug, new Date().toISOString());
    return found && this.sites.findOneBy({ siteId: found.siteId });
  }

  /** The site, for a caller who may read its deploys, files and history: the edit token, or a role on it. */
  async getFor(slug: string, caller: Caller): Promise<SiteRow> {
    const row = await this.get(slug, caller);
    if (await this.#isTheirs(row, caller)) return row;
    if (caller.editTokenHash !== null) return refuseEditToken(row);
    if (caller.userId !== null) return refuse('forbidden', 'You have no role on this site.');
    return refuse('unauthenticated', 'Send the site’s edit token in x-svc-edit-token, or sign in.');
  }

  async #isTheirs(row: SiteRow, caller: Caller): Promise<boolean> {
    const { userId } = caller;
    if (holdsToken(row, caller)) return true;
    if (userId === null) return false;
    return this.memberships.existsBy({ siteId: row.siteId, ...membershipsOf(userId, caller) });
  }
}

const holdsToken = (row: SiteRow, { editTokenHash }: Caller): boolean =>
  editTokenHash !== null && row.editTokenHash !== null && sameDigest(editTokenHash, row.editTokenHash);
