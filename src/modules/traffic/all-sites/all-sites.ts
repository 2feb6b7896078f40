import { Controller, Get, Query, Req } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import type { FastifyRequest } from 'fastify';
import { In, type Repository } from 'typeorm';
import { z } from 'zod';
import { ReadYourWrites } from '../../../edge/http/api/read-your-writes.js';
import { Route } from '../../../edge/http/api/route-options.js';
import { buildPageSchema, PageQuery, skipAndTake } from '../../../edge/http/api/schemas/pagination.js';
import { Context } from '../../../edge/http/auth/context.js';
import { Operator } from '../../../edge/http/auth/operator.js';
import type { CommandContext } from '../../../kernel/command-context.js';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import type { Feature } from '../../../nest/features.js';
import { SiteRow } from '../../../projections/models/site.projection.js';
import { TrafficSettings } from '../../../settings/traffic-settings.js';
import { TRAFFIC_TIME, trafficTime } from '../analytics/analytics-query.js';
import { TrafficRollUps } from '../roll-up/tables/traffic-roll-ups.js';
import { DAY_MS, truncateToDay } from '../roll-up/tables/whole-days.js';

const count = z.number().int();

const AllSitesTraffic = buildPageSchema(
  z.object({
    siteId: z.string(),
    slug: z
      .string()
      .nullable()
      .meta({ description: 'Slug of the site, or null while the site’s creation is still being processed.' }),
    hits: count,
    pageviews: count,
    bytes: count,
    bots: count.meta({ description: 'Hits from bots.' }),
    errors: count.meta({ description: 'Hits with a status of 500 or above.' }),
  }),
)
  .extend({ from: z.string(), to: z.string() })
  .meta({ id: 'AllSitesTraffic' });

const AllSitesQuery = PageQuery.extend({
  from: trafficTime.optional().meta({
    description: 'Start of the range: a day (UTC) or a time. Requests past their retention period are not counted.',
    pattern: TRAFFIC_TIME,
  }),
  to: trafficTime
    .optional()
    .meta({ description: 'End of the range: the last day (UTC), or a time.', pattern: TRAFFIC_TIME }),
});

@ApiTags('Operator')
@ApiBearerAuth()
@Controller('v1/admin/traffic')
class AllSitesTrafficController {
  constructor(
    private readonly operator: Operator,
    private readonly rollUps: TrafficRollUps,
    private readonly settings: TrafficSettings,
    @InjectRepository(SiteRow) private readonly sites: Repository<SiteRow>,
  ) {}

  @ApiOperation({
    summary: 'List traffic for all sites, busiest first',
    description:
      'Counts the requests that are still retained (`STELE_ACCESS_KEPT`), including requests to sites without analytics.',
  })
  @ApiResponse({ status: 200, standardSchema: AllSitesTraffic, description: 'A page of sites.' })
  @ReadYourWrites()
  @Route({ operator: true })
  @Get()
  async allSitesTraffic(
    @Query({ schema: AllSitesQuery }) { from, to, ...page }: z.output<typeof AllSitesQuery>,
    @Context() { at }: CommandContext,
    @Req() request: FastifyRequest,
  ): Promise<z.output<typeof AllSitesTraffic>> {
    this.operator.assertCallerOf(request);
    const now = Date.parse(at);
    const kept = truncateToDay(now) - this.settings.accessKeptDays * DAY_MS;
    const asked = { from: from?.at ?? kept, to: to?.end ?? now };
    if (from && asked.from >= asked.to) refuseInvalid({ path: 'from', message: 'must be before `to`' });
    const span = { from: Math.max(asked.from, kept), to: Math.max(asked.to, kept) };
    const { skip, take } = skipAndTake(page);
    const { rows, total } = await this.rollUps.figures.ofAllSites(span, skip, take);
    const known = await this.sites.find({
      where: { siteId: In(rows.map(({ siteId }) => siteId)) },
      select: { siteId: true, slug: true },
    });
    const slugs = new Map(known.map(({ siteId, slug }) => [siteId, slug]));
    return {
      from: new Date(span.from).toISOString(),
      to: new Date(span.to).toISOString(),
      items: rows.map((row) => ({ slug: slugs.get(row.siteId) ?? null, ...row })),
      ...page,
      total,
    };
  }
}

export const allSites: Feature = { routes: [AllSitesTrafficController] };
