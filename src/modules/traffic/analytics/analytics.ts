import { Controller, Get, Header, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiProblems } from '../../../edge/http/api/description/api-traits.js';
import { ReadYourWrites } from '../../../edge/http/api/read-your-writes.js';
import { Context } from '../../../edge/http/auth/context.js';
import { preferredType } from '../../../edge/http/negotiation/accept-header.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { plural } from '../../../kernel/output/quantities.js';
import { refuse } from '../../../kernel/refusal.js';
import type { Feature } from '../../../nest/features.js';
import { mcpTool } from '../../../nest/mcp-tool.js';
import { SiteAccess } from '../../sites/api/site-access.js';
import { AnalyticsQuery, type AskedAnalytics } from './analytics-query.js';
import { parseAnalyticsRange } from './analytics-range.js';
import { Analytics, type AnalyticsResponse } from './analytics-response.js';
import { SiteAnalytics } from './site-analytics.js';

const CSV = 'text/csv';

@ApiTags('Traffic')
@Controller('v1/sites/:slug/analytics')
class AnalyticsController {
  constructor(
    private readonly sites: SiteAccess,
    private readonly figures: SiteAnalytics,
  ) {}

  @ApiOperation({
    summary: 'Get a site’s visits',
    description:
      'Returns visits over time, the pages viewed, the sources of visitors, and missing pages. Requires permission to read the site’s history and the `analytics` capability. Times are in UTC. New requests are included within a minute. Each list contains the top 100 entries. The CSV response contains only the time series.',
  })
  @ApiResponse({
    status: 200,
    standardSchema: Analytics,
    description: 'The visits in the requested range.',
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
  ): Promise<AnalyticsResponse | string> {
    const range = parseAnalyticsRange(asked, Date.parse(context.at));
    const { siteId, slug: present, countsVisits: isCounted } = await this.sites.getReadable(slug, context);
    if (!isCounted) refuse('capability_disabled', 'The capability “analytics” is disabled for this site.');
    const answer = await this.figures.of(siteId, range, asked.interval);
    if (preferredType(request.headers.accept, ['application/json', CSV]) !== CSV) return answer;
    void reply
      .header('content-disposition', `attachment; filename="${present}-visits.csv"`)
      .type(`${CSV}; charset=utf-8; header=present`);
    return csvOf(answer);
  }
}

/** Formats analytics as CSV (RFC 4180). No value needs quoting. */
const csvOf = ({ series }: AnalyticsResponse) =>
  [
    'at,visits,visitors,pageviews',
    ...series.map(({ at, visits, visitors, pageviews }) => [at, visits, visitors, pageviews].join(',')),
    '',
  ].join('\r\n');

const tool = mcpTool({
  name: 'get_analytics',
  title: 'Get site analytics',
  description:
    'Returns a site’s visits, visitors and pageviews by hour, day or month, its most viewed pages, where visitors came from, and which pages were missing (`notFound`). Requires the `analytics` capability; only visits since it was enabled are counted. For individual failed requests, see GET /v1/sites/{slug}/logs.',
  scope: 'read',
  needs: 'token',
  effect: 'reads',
  isIdempotent: true,
  quotes: true,
  route: { method: 'GET', path: '/v1/sites/:slug/analytics', query: AnalyticsQuery, takes: ['editToken'] },
  answer: Analytics,
  say: ({ from, to, totals, visitorsAre }) =>
    `${plural(totals.visits, 'visit')} and ${plural(totals.pageviews, 'pageview')} by ${plural(totals.visitors, 'visitor')} (${visitorsAre}) from ${from} to ${to}.`,
});

export const analytics: Feature = { tools: [tool], routes: [AnalyticsController], providers: [SiteAnalytics] };
