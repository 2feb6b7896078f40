import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ReadYourWrites } from '../../../edge/http/api/read-your-writes.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { Context } from '../../../edge/http/auth/context.js';
import { sendPage } from '../../../edge/http/pages/web-page.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import { ActivityProgress } from './activity-progress.js';
import { SiteLogReader } from './log-pages.js';
import { renderSiteLogsPage } from './logs.page.js';
import { type AskedLogs, LogsQuery } from './logs-query.js';

/** Query of the filter form. Fields that were left empty are ignored. */
const PageLogsQuery = z
  .record(z.string(), z.unknown())
  .transform((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')))
  .pipe(LogsQuery);

export const logsPath = (slug: string, url: string) => {
  const mark = url.indexOf('?');
  return `/sites/${encodeURIComponent(slug)}/logs${mark < 0 ? '' : url.slice(mark)}`;
};

@ApiExcludeController()
@Controller('sites/:slug/logs')
export class ViewLogsController {
  constructor(
    private readonly sites: SiteAccess,
    private readonly pages: SiteLogReader,
    private readonly progress: ActivityProgress,
    private readonly urls: ServiceUrls,
  ) {}

  @Route({ page: 'live', problemPages: true })
  @ReadYourWrites()
  @Get()
  async page(
    @Param('slug') slug: string,
    @Query({ schema: PageLogsQuery }) asked: AskedLogs,
    @Context() context: CommandContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    const site = await this.sites.getReadable(slug, context);
    await this.progress.reached(BigInt(String(reply.getHeader('stele-position') ?? 0)));
    const given = Object.entries(request.query as Record<string, string>).filter(([, value]) => value !== '');
    const entries = await this.pages.page(site.siteId, context.caller, asked);
    const page = renderSiteLogsPage(site.slug, Object.fromEntries(given), entries);
    return sendPage(request, reply, this.urls.baseUrl, page);
  }
}
