import { Cron } from 'croner';
import { Schedules } from '../../kernel/ports/outside/schedules.js';

const LONGEST = 100;
/** Extensions of the library, such as `L` and `#`, are left out: other programs read them otherwise. */
const FIELDS = /^[0-9A-Z*,/-]+(?: [0-9A-Z*,/-]+){4}$/i;
/** The letters of names of months and weekdays. */
const NAMES = /JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC|SUN|MON|TUE|WED|THU|FRI|SAT/gi;
const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;

/** In a leap year, so that every day there is comes soon. */
const ANY_TIME = new Date('2028-01-01T00:00:00Z');

export class CronSchedules extends Schedules {
  override findFault(expression: string): string | null {
    const isMadeOfFields = expression.length <= LONGEST && FIELDS.test(expression);
    if (!isMadeOfFields || /[A-Z]/i.test(expression.replace(NAMES, '')))
      return 'must be a cron expression with five fields separated by single spaces, such as 0 3 * * *';
    let times: readonly Date[];
    try {
      // With two minutes in an hour, two of any three times in a row are in one hour.
      times = cronOf(expression).nextRuns(3, ANY_TIME);
    } catch {
      return 'is not a valid cron expression: a field is malformed or out of range';
    }
    if (times.length === 0) return 'must match a date that exists';
    const isTooOften = times.some((time, n) => n > 0 && +time - +(times[n - 1] ?? 0) < HOUR_MS);
    return isTooOften ? 'must not run more than once an hour; use a single value for the minute' : null;
  }

  override previous(expression: string, until: Date): Date | null {
    // The library counts in whole seconds, and leaves out the one that it is given.
    const next = Math.floor(+until / SECOND_MS) * SECOND_MS + SECOND_MS;
    return cronOf(expression).previousRuns(1, new Date(next))[0] ?? null;
  }
}

/** Without a function it starts no timer. */
const cronOf = (expression: string) => new Cron(expression, { mode: '5-part', utcOffset: 0, paused: true });
