import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import { plural } from '../../../kernel/output/quantities.js';
import { HOURS_KEPT_DAYS } from '../roll-up/hours-kept.js';
import { DAY_MS, HOUR_MS, type Span, truncateToDay, truncateToHour } from '../roll-up/tables/whole-days.js';
import type { AskedAnalytics, AskedTime, intervals } from './analytics-query.js';

export type Interval = (typeof intervals)[number];

const USUAL_DAYS = 30;

const MAX_DAYS = { hour: 31, day: 1_100, month: 3_700 } as const satisfies Record<Interval, number>;

/**
 * Parses the range of an analytics query. Returns whole hours, or whole days if the range begins before the period for
 * which hours are kept. Refuses an invalid range with `invalid_request` and the name of the field. `now` is in
 * milliseconds since 1970.
 */
export function parseAnalyticsRange({ from, to, interval }: AskedAnalytics, now: number): Span {
  const asked = wholeHours(from, to, now);
  if (asked.from >= asked.to) refuseInvalid({ path: 'from', message: 'must be before `to`' });
  const kept = truncateToDay(now) - HOURS_KEPT_DAYS * DAY_MS;
  const isOld = asked.from < kept;
  if (isOld && interval === 'hour')
    refuseInvalid({
      path: 'from',
      message: `must be within the last ${plural(HOURS_KEPT_DAYS, 'day')} for hourly data points`,
    });
  const range = isOld ? { from: truncateToDay(asked.from), to: truncateToDay(asked.to + DAY_MS - 1) } : asked;
  const most = MAX_DAYS[interval];
  if (range.to - range.from > most * DAY_MS)
    refuseInvalid({
      path: 'from',
      message: `must be at most ${plural(most, 'day')} before \`to\` for the interval ${interval}`,
    });
  return range;
}

function wholeHours(from: AskedTime | undefined, to: AskedTime | undefined, now: number): Span {
  const end = to === undefined ? truncateToDay(now) + DAY_MS : truncateToHour(to.end + HOUR_MS - 1);
  // Without `from`, the range covers whole days, so it begins at midnight even if it ends during a day.
  const begin = from === undefined ? truncateToDay(end - 1) - (USUAL_DAYS - 1) * DAY_MS : truncateToHour(from.at);
  return { from: begin, to: end };
}

/** Returns the range of the same length that directly precedes this one, for comparison. */
export const before = ({ from, to }: Span): Span => ({ from: from - (to - from), to: from });
