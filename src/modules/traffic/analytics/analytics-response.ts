import { z } from 'zod';
import { intervals } from './analytics-query.js';

const count = z.number().int();

const Totals = z
  .object({
    visits: count.meta({
      description: 'Sequences of pageviews by one visitor with no pause of more than 30 minutes.',
    }),
    visitors: count,
    pageviews: count,
    bytes: count.meta({ description: 'Bytes of content sent to all clients.' }),
  })
  .meta({ id: 'TrafficTotals' });

const Named = z.array(z.object({ name: z.string(), visits: count, pageviews: count }));

export const Analytics = z
  .object({
    from: z.string(),
    to: z.string().meta({ description: 'End of the range, exclusive.' }),
    interval: z.enum(intervals),
    totals: Totals,
    previous: Totals.meta({ description: 'Totals for the preceding range of the same length, which ends at `from`.' }),
    visitorsAre: z.enum(['exact', 'sum of days']).meta({
      description:
        'Method of counting visitors. A visitor is recognized only within one day (UTC), so a visitor who returns on another day is counted again.',
    }),
    series: z.array(z.object({ at: z.string(), visits: count, visitors: count, pageviews: count })),
    pages: z
      .array(z.object({ path: z.string(), visits: count, visitors: count, pageviews: count }))
      .meta({ description: 'Pages, each with the number of visits in which it was viewed.' }),
    entries: z
      .array(z.object({ path: z.string(), visits: count }))
      .meta({ description: 'Pages on which visits started.' }),
    referrers: z.array(z.object({ host: z.string(), visits: count })),
    notFound: z
      .array(z.object({ path: z.string(), hits: count }))
      .meta({ description: 'Paths that visitors requested and that returned 404.' }),
    statuses: z.array(z.object({ status: count, hits: count })),
    browsers: Named,
    systems: Named,
    devices: Named,
    countries: Named.optional().meta({ description: 'Present if the service can determine countries.' }),
    bots: z.object({ hits: count }),
    dropped: count.meta({
      description:
        'Requests that could not be counted because of high load. This number covers whole days, even if the range does not.',
    }),
  })
  .meta({ id: 'Analytics' });

export type AnalyticsResponse = z.output<typeof Analytics>;
