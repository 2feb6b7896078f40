import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReadYourWrites } from '../../../edge/http/api/read-your-writes.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { Authentication } from '../../../edge/http/auth/authentication.js';
import { Context } from '../../../edge/http/auth/context.js';
import { sendPage } from '../../../edge/http/pages/web-page.js';
import { LiveStreamServer } from '../../../edge/live/live-streams.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { EventStore } from '../../../kernel/event-store.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import type { JobRow } from '../../../projections/models/job.projection.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import { JobReader } from '../show-job/job-reader.js';
import { toJobSnapshot } from '../show-job/snapshot.js';
import { JobLiveStreams } from '../watch-job/job-live-streams.js';
import { type CanStop, jobPage } from './job.page.js';
import { newestLog } from './newest-log.js';

/** Serves the page of a job and its log as plain text to callers who can read the job. */
@ApiExcludeController()
@Controller('jobs/:id')
class ViewJobController {
  constructor(
    private readonly reader: JobReader,
    private readonly sites: SiteAccess,
    private readonly store: EventStore,
    private readonly jobs: JobLiveStreams,
    private readonly live: LiveStreamServer,
    private readonly authentication: Authentication,
    private readonly urls: ServiceUrls,
  ) {}

  @Route({ page: 'live', problemPages: true })
  @ReadYourWrites()
  @Get()
  async page(
    @Param('id') id: string,
    @Context() context: CommandContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    const row = await this.reader.getFor(id, context.caller);
    const log = await newestLog(this.store, id, row.revision);
    const stop = await this.#canStop(row, context);
    const can = { stop, rerun: stop === 'yes' && (await this.reader.isNewestOfSite(row)) };
    const page = jobPage(toJobSnapshot(row, this.urls), log, can, Date.parse(context.at));
    return sendPage(request, reply, this.urls.baseUrl, page);
  }

  @Route({ problemPages: true })
  @ReadYourWrites()
  @Get('log')
  async log(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const stream = await this.jobs.of(id, () => this.authentication.currentCaller(request.headers));
    await this.live.answer(request, reply, stream, 'text');
  }

  async #canStop({ siteId }: JobRow, context: CommandContext): Promise<CanStop> {
    try {
      await this.sites.assertCanEdit(siteId, context);
      return 'yes';
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return (await this.reader.isNobodys(siteId)) ? 'with its edit token' : 'no';
    }
  }
}

/** Redirects to a site's latest job. Pages of a site without a deploy link here, because they don't know its jobs. */
@ApiExcludeController()
@Controller('sites/:slug/jobs/latest')
class ViewLatestJobController {
  constructor(
    private readonly reader: JobReader,
    private readonly sites: SiteAccess,
  ) {}

  @Route({ page: true, problemPages: true })
  @ReadYourWrites()
  @Get()
  async latest(@Param('slug') slug: string, @Context() context: CommandContext, @Res() reply: FastifyReply) {
    const { siteId } = await this.sites.getReadable(slug, context);
    const job = await this.reader.findNewestOfSite(siteId);
    return reply.redirect(`/jobs/${job?.jobId ?? refuse('job_not_found', 'This site has no jobs.')}`, 303);
  }
}

export const viewJob: Feature = { routes: [ViewJobController, ViewLatestJobController] };
