import { z } from 'zod';

/**
 * A time in a client's query, in milliseconds since 1970. If the client sent a day (UTC), `end` is the start of the
 * next day.
 */
export type AskedTime = { readonly at: number; readonly end: number; readonly isDay: boolean };

const DAY_MS = 86_400_000;

/** Times outside this range are refused. They are probably mistakes, and PostgreSQL can't represent some of them. */
const FIRST = Date.parse('2000-01-01');
const LAST = Date.parse('3000-01-01');

const day = z.iso.date();
const moment = z.iso.datetime({ offset: true });

/** Pattern of a time for /openapi.json: a day in the years 2000 to 2999, optionally with a time. */
const DAY =
  '(?:2(?:\\d(?:0[48]|[2468][048]|[13579][26])|[048]00)-02-29|2\\d{3}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8])))';
const TIME = 'T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)';
export const TRAFFIC_TIME = `^${DAY}(?:${TIME})?$`;

export const trafficTime = z.string().transform((given, context): AskedTime => {
  const isDay = day.safeParse(given).success;
  const at = isDay || moment.safeParse(given).success ? Date.parse(given) : Number.NaN;
  if (at >= FIRST && at < LAST) return { at, end: isDay ? at + DAY_MS : at, isDay };
  const message = Number.isNaN(at)
    ? 'must be a day such as 2026-11-20 or an RFC 3339 time such as 2026-11-20T10:54:00Z'
    : 'must be between the years 2000 and 2999';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

export const intervals = ['hour', 'day', 'month'] as const;

export const AnalyticsQuery = z.object({
  from: trafficTime.optional().meta({
    pattern: TRAFFIC_TIME,
    description: 'Start of the range: a day (UTC) or a time (RFC 3339). Defaults to 30 days before `to`.',
  }),
  to: trafficTime.optional().meta({
    pattern: TRAFFIC_TIME,
    description: 'End of the range: the last day (UTC), inclusive, or a time (RFC 3339), exclusive. Defaults to today.',
  }),
  interval: z
    .enum(intervals, `must be one of ${intervals.join(', ')}`)
    .default('day')
    .meta({ description: 'Interval between the data points in the series.' }),
});

export type AskedAnalytics = z.output<typeof AnalyticsQuery>;
