import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { Caller } from '../../../kernel/command-context.js';
import { isId } from '../../../kernel/ids.js';
import { determineAccess } from '../../../kernel/rights/site-access.js';
import { JobRow } from '../../../projections/models/job.projection.js';
import { buildMembershipFilter, MembershipRow } from '../../../projections/models/member.projection.js';
import { factsOfSite, SiteRow } from '../../../projections/models/site.projection.js';
import { assertCanReadJob, refuseJob } from './assert-can-read-job.js';

const NEWEST_FIRST = { createdAt: 'desc', jobId: 'desc' } as const;

/** Finds jobs in the read model for callers who can read them. */
@Injectable()
export class JobReader {
  constructor(
    @InjectRepository(JobRow) private readonly jobs: Repository<JobRow>,
    @InjectRepository(SiteRow) private readonly sites: Repository<SiteRow>,
    @InjectRepository(MembershipRow) private readonly memberships: Repository<MembershipRow>,
  ) {}

  /** Returns the job. Refuses with `job_not_found` if it does not exist or the caller can't read it. */
  async getFor(jobId: string, caller: Caller): Promise<JobRow> {
    const row = isId('job', jobId) ? await this.jobs.findOneBy({ jobId }) : null;
    if (!row) return refuseJob(jobId);
    assertCanReadJob(jobId, await this.#siteOf(row, caller));
    return row;
  }

  /** Reports whether the site has no owner. Access to such a site requires its edit token instead of a role. */
  async isNobodys(siteId: string): Promise<boolean> {
    return (await this.sites.findOneBy({ siteId }))?.editTokenHash != null;
  }

  async isSiteDeleted(siteId: string): Promise<boolean> {
    return this.sites.existsBy({ siteId, status: 'deleted' });
  }

  /** Reports whether this is the site's latest job. Only that job can be run again. */
  async isNewestOfSite({ siteId, jobId }: JobRow): Promise<boolean> {
    return (await this.findNewestOfSite(siteId))?.jobId === jobId;
  }

  findNewestOfSite(siteId: string): Promise<JobRow | null> {
    return this.jobs.findOne({ where: { siteId }, order: NEWEST_FIRST });
  }

  async #siteOf({ siteId }: JobRow, caller: Caller) {
    const { userId } = caller;
    const site = await this.sites.findOneBy({ siteId });
    if (!site || site.status === 'deleted') return null;
    const membership =
      userId === null ? null : await this.memberships.findOneBy({ siteId, ...buildMembershipFilter(userId, caller) });
    const { isInvolved } = determineAccess(factsOfSite(site, membership), caller, new Date().toISOString());
    return { isAnonymous: site.editTokenHash !== null, isPublic: site.visibility === 'public', isInvolved };
  }
}
