import { Controller, Get, Header, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiProblems } from '../../../http/api/description/api-traits.js';
import { ReadYourWrites } from '../../../http/api/read-your-writes.js';
import { Context } from '../../../http/auth/context.js';
import { preferredType } from '../../../kernel/accept-header.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { TrafficSites } from '../../../kernel/ports/traffic-sites.js';
import { refuse } from '../../../kernel/refusal.js';
import { agentTool } from '../../../process/nest/agent-tool.js';
import type { Feature } from '../../../process/nest/features.js';
import { Analytics, type AnalyticsAnswer } from './analytics-answer.js';
import { AnalyticsQuery, type AskedAnalytics } from './analytics-query.js';
import { rangeOf } from './analytics-range.js';
import { SiteAnalytics } from './site-analytics.js';

const CSV = 'text/csv';

@ApiTags('Traffic')
@Controller('v1/sites/:slug/analytics')
class AnalyticsController {
  constructor(
    @Inject(TrafficSites) private readonly sites: TrafficSites,
    @Inject(SiteAnalytics) private readonly figures: SiteAnalytics,
  ) {}

  @ApiOperation({
    summary: 'Visits of a site: when, which pages, where from, and what was missing',
    description:
      'For callers who may read the history of the site, while its capability `analytics` is on. Times are of UTC. What happens is in it within a minute. Lists have the 100 largest. As CSV it is the series alone.',
  })
  @ApiResponse({
    status: 200,
    standardSchema: Analytics,
    description: 'What was counted in the time that is asked for.',
  })
  @ApiExtension('x-also-answers', { [CSV]: { schema: { type: 'string' } } })
  @ApiProblems('capability_disabled')
  @ReadYourWrites()
  @Header('vary', 'accept')
  @Get()
  async analytics(
    @Param('slug') slug: string,
    @Query({ schema: AnalyticsQuery }) asked: AskedAnalytics,
    @Context() context: CommandContext,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AnalyticsAnswer | string> {
    const range = rangeOf(asked, Date.parse(context.at));
    const { siteId, slug: present, isCounted } = await this.sites.readBy(slug, context);
    if (!isCounted) refuse('capability_disabled', 'The capability analytics of this site is switched off.');
    const answer = await this.figures.of(siteId, range, asked.interval);
    if (preferredType(request.headers.accept, ['application/json', CSV]) !== CSV) return answer;
    void reply
      .header('content-disposition', `attachment; filename="${present}-visits.csv"`)
      .type(`${CSV}; charset=utf-8; header=present`);
    return csvOf(answer);
  }
}

/** RFC 4180; nothing in it needs quotes. */
const csvOf = ({ series }: AnalyticsAnswer) =>
  [
    'at,visits,visitors,pageviews',
    ...series.map(({ at, visits, visitors, pageviews }) => [at, visits, visitors, pageviews].join(',')),
    '',
  ].join('\r\n');

const tool = agentTool({
  name: 'get_analytics',
  title: 'Who came to a site',
  description:
    'Tells visits, visitors and pageviews of a site by day, hour or month, its pages, where visitors came from, and which pages they missed (`notFound`). Only while its capability `analytics` is on; counted are visits since then. For single requests that failed look at GET /v1/sites/{slug}/logs.',
  scope: 'read',
  needs: 'token',
  effect: 'reads',
  isIdempotent: true,
  quotes: true,
  route: { method: 'GET', path: '/v1/sites/:slug/analytics', query: AnalyticsQuery, takes: ['editToken'] },
  answer: Analytics,
  say: ({ from, to, totals, visitorsAre }) =>
    `${totals.visits} visits and ${totals.pageviews} pageviews by ${totals.visitors} visitors (${visitorsAre}) from ${from} to ${to}.`,
});

export const analytics: Feature = { tools: [tool], routes: [AnalyticsController], providers: [SiteAnalytics] };
