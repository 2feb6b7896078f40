import type { TrafficPoint } from '../roll-up/tables/traffic-figures.js';
import { DAY_MS, HOUR_MS, type Span, truncateToDay } from '../roll-up/tables/whole-days.js';
import type { Interval } from './analytics-range.js';

const NOTHING = { visits: 0, visitors: 0, pageviews: 0, bytes: 0 };

export type Totals = Omit<TrafficPoint, 'at'>;

/**
 * Adds up traffic points. A visitor who is part of several points is counted several times, which callers must mention
 * to readers.
 */
export const sumTotals = (points: readonly TrafficPoint[]): Totals =>
  points.reduce(
    (all, { visits, visitors, pageviews, bytes }) => ({
      visits: all.visits + visits,
      visitors: all.visitors + visitors,
      pageviews: all.pageviews + pageviews,
      bytes: all.bytes + bytes,
    }),
    NOTHING,
  );

/**
 * Returns a point for each interval of the span, even if there was no traffic. The first point starts when the span
 * starts.
 */
export function buildSeries(points: readonly TrafficPoint[], { from, to }: Span, interval: Interval): TrafficPoint[] {
  const series: TrafficPoint[] = [];
  let next = 0;
  for (let at = from; at < to; ) {
    const end = endOf[interval](at);
    const within: TrafficPoint[] = [];
    for (let point = points[next]; point && point.at < end; point = points[++next]) within.push(point);
    series.push({ at, ...sumTotals(within) });
    at = end;
  }
  return series;
}

/** Functions that return the end of the interval that contains a time. */
const endOf: Readonly<Record<Interval, (at: number) => number>> = {
  hour: (at) => at + HOUR_MS,
  day: (at) => truncateToDay(at) + DAY_MS,
  month: (at) => Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth() + 1),
};
