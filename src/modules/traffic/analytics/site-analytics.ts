import { Injectable } from '@nestjs/common';
import type { TrafficDimension, TrafficPoint, TrafficValue } from '../roll-up/tables/traffic-figures.js';
import { TrafficRollUps } from '../roll-up/tables/traffic-roll-ups.js';
import { type Span, truncateToDay } from '../roll-up/tables/whole-days.js';
import { before, type Interval } from './analytics-range.js';
import type { AnalyticsResponse } from './analytics-response.js';
import { buildSeries, sumTotals } from './series.js';

const MAX_ROWS = 100;

@Injectable()
export class SiteAnalytics {
  constructor(private readonly rollUps: TrafficRollUps) {}

  async of(siteId: string, span: Span, interval: Interval): Promise<AnalyticsResponse> {
    const { figures } = this.rollUps;
    const [days, hours, previous, values, dropped] = await Promise.all([
      figures.byDay(siteId, span),
      interval === 'hour' ? figures.byHour(siteId, span) : null,
      figures.byDay(siteId, before(span)),
      figures.largest(siteId, span, MAX_ROWS),
      figures.dropped(siteId, span),
    ]);
    const of = Object.groupBy(values, ({ dimension }) => dimension);
    const listOf = (dimension: TrafficDimension) => of[dimension] ?? [];
    return {
      from: new Date(span.from).toISOString(),
      to: new Date(span.to).toISOString(),
      interval,
      totals: sumTotals(days),
      previous: sumTotals(previous),
      visitorsAre: truncateToDay(span.from) === truncateToDay(span.to - 1) ? 'exact' : 'sum of days',
      series: buildSeries(hours ?? days, span, interval).map(pointOf),
      pages: listOf('page').map(({ value, visits, visitors, pageviews }) => ({
        path: value,
        visits,
        visitors,
        pageviews,
      })),
      entries: listOf('entry').map(({ value, visits }) => ({ path: value, visits })),
      referrers: listOf('referrer').map(({ value, visits }) => ({ host: value, visits })),
      notFound: listOf('missing').map(({ value, hits }) => ({ path: value, hits })),
      statuses: listOf('status').map(({ value, hits }) => ({ status: Number(value), hits })),
      browsers: listOf('browser').map(namedOf),
      systems: listOf('system').map(namedOf),
      devices: listOf('device').map(namedOf),
      ...(of.country && { countries: of.country.map(namedOf) }),
      bots: { hits: listOf('client').find(({ value }) => value === 'robot')?.hits ?? 0 },
      dropped,
    };
  }
}

const pointOf = ({ at, visits, visitors, pageviews }: TrafficPoint) => ({
  at: new Date(at).toISOString(),
  visits,
  visitors,
  pageviews,
});

const namedOf = ({ value, visits, pageviews }: TrafficValue) => ({ name: value, visits, pageviews });
