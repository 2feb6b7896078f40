import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { z } from 'zod';
import { ApiLinks, buildLinks, fromResponse } from '../../../edge/http/api/description/api-links.js';
import { ReadYourWrites } from '../../../edge/http/api/read-your-writes.js';
import { buildPageSchema, PageQuery, skipAndTake } from '../../../edge/http/api/schemas/pagination.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { Context } from '../../../edge/http/auth/context.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import type { Feature } from '../../../nest/features.js';
import { mcpTool } from '../../../nest/mcp-tool.js';
import { JobRow } from '../../../projections/models/job.projection.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import { JobSnapshot, toJobSnapshot } from '../show-job/snapshot.js';

const JobsQuery = PageQuery.extend({ status: JobSnapshot.shape.status.optional() });

const Jobs = buildPageSchema(JobSnapshot).meta({ id: 'Jobs' });

@ApiTags('Jobs')
@Controller('v1/sites/:slug/jobs')
class ListJobsController {
  constructor(
    private readonly sites: SiteAccess,
    @InjectRepository(JobRow) private readonly jobs: Repository<JobRow>,
    private readonly urls: ServiceUrls,
  ) {}

  @ApiOperation({
    summary: 'List a site’s jobs, newest first',
    description:
      'Jobs are deleted 30 days after they finish, or after the period that the operator has set in STELE_STREAMS_KEPT.',
  })
  @ApiResponse({ status: 200, standardSchema: Jobs, description: 'A page of jobs.' })
  @ReadYourWrites()
  @ApiLinks(...buildLinks({ id: fromResponse('items/0/id') }, 'getJob', 'watchJob', 'stopJob'))
  @Get()
  async listJobs(
    @Param('slug') slug: string,
    @Query({ schema: JobsQuery }) { status, ...page }: z.output<typeof JobsQuery>,
    @Context() context: CommandContext,
  ): Promise<z.output<typeof Jobs>> {
    const { siteId } = await this.sites.getReadable(slug, context);
    const [rows, total] = await this.jobs.findAndCount({
      where: { siteId, ...(status && { status }) },
      order: { createdAt: 'desc', jobId: 'desc' },
      ...skipAndTake(page),
    });
    return { items: rows.map((row) => toJobSnapshot(row, this.urls)), ...page, total };
  }
}

const tool = mcpTool({
  name: 'list_jobs',
  title: 'List a site’s jobs',
  description: 'Lists the repository deploys of a site, newest first, with their status, steps and errors.',
  scope: 'read',
  needs: 'token',
  effect: 'reads',
  isIdempotent: true,
  quotes: true,
  route: { method: 'GET', path: '/v1/sites/:slug/jobs', query: JobsQuery, takes: ['editToken'] },
  answer: Jobs,
  say: ({ items, total }) =>
    total === 0 ? 'The site has no jobs.' : items.map(({ id, status }) => `${id} is ${status}`).join('; '),
});

export const listJobs: Feature = { routes: [ListJobsController], tools: [tool] };
