import { z } from 'zod';
import { intervals } from './analytics-query.js';

const count = z.number().int();

const Totals = z
  .object({
    visits: count.meta({ description: 'Runs of pageviews of one visitor without a pause of more than 30 minutes.' }),
    visitors: count,
    pageviews: count,
    bytes: count.meta({ description: 'Of content that was sent to any client.' }),
  })
  .meta({ id: 'TrafficTotals' });

const Named = z.array(z.object({ name: z.string(), visits: count, pageviews: count }));

export const Analytics = z
  .object({
    from: z.string(),
    to: z.string().meta({ description: 'It ends before this time.' }),
    interval: z.enum(intervals),
    totals: Totals,
    previous: Totals.meta({ description: 'Of as long a time, which ended with `from`.' }),
    visitorsAre: z.enum(['exact', 'sum of days']).meta({
      description: 'Visitors are known within one day of UTC. Of several days, one who came back counts once in each.',
    }),
    series: z.array(z.object({ at: z.string(), visits: count, visitors: count, pageviews: count })),
    pages: z
      .array(z.object({ path: z.string(), visits: count, visitors: count, pageviews: count }))
      .meta({ description: 'Visits are those in which the page was seen.' }),
    entries: z
      .array(z.object({ path: z.string(), visits: count }))
      .meta({ description: 'The pages that visits began with.' }),
    referrers: z.array(z.object({ host: z.string(), visits: count })),
    notFound: z
      .array(z.object({ path: z.string(), hits: count }))
      .meta({ description: 'What people asked for that was answered 404.' }),
    statuses: z.array(z.object({ status: count, hits: count })),
    browsers: Named,
    systems: Named,
    devices: Named,
    countries: Named.optional().meta({ description: 'Where the service knows countries.' }),
    bots: z.object({ hits: count }),
    dropped: count.meta({
      description: 'Requests that could not be counted, under more load than can be written down; of whole days.',
    }),
  })
  .meta({ id: 'Analytics' });

export type AnalyticsAnswer = z.output<typeof Analytics>;
