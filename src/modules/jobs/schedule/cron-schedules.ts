import { Injectable } from '@nestjs/common';
import { Cron } from 'croner';

const MAX_CHARACTERS = 100;
/** Cron fields without the library's extensions, such as `L` and `#`, which other programs interpret differently. */
const FIELDS = /^[0-9A-Za-z*,/-]+(?: [0-9A-Za-z*,/-]+){4}$/;
export const CRON_FIELDS = FIELDS.source;
const NAMES = /JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC|SUN|MON|TUE|WED|THU|FRI|SAT/gi;
const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;

/** A date at the start of a leap year, so that even a schedule for 29 February is due soon afterwards. */
const ANY_TIME = new Date('2028-01-01T00:00:00Z');

/** Validates and evaluates cron expressions with five fields (crontab(5)), in UTC. */
@Injectable()
export class CronSchedules {
  /**
   * Checks a cron expression. Returns an error message without its subject ("must …"), or null if the expression is
   * valid.
   */
  findFault(expression: string): string | null {
    const isMadeOfFields = expression.length <= MAX_CHARACTERS && FIELDS.test(expression);
    if (!isMadeOfFields || /[A-Z]/i.test(expression.replace(NAMES, '')))
      return 'must be a cron expression with five fields separated by single spaces, such as 0 3 * * *';
    let times: readonly Date[];
    try {
      // Checking three consecutive runs is sufficient: if a schedule ever runs twice within an hour, so do two of these
      // runs.
      times = cronOf(expression).nextRuns(3, ANY_TIME);
    } catch {
      return 'is not a valid cron expression: a field is malformed or out of range';
    }
    if (times.length === 0) return 'must match a date that exists';
    const isTooOften = times.some((time, n) => n > 0 && +time - +(times[n - 1] ?? 0) < HOUR_MS);
    return isTooOften ? 'must not run more than once an hour; use a single value for the minute' : null;
  }

  /** Returns the latest due time at or before `until`. The expression must be valid. */
  previous(expression: string, until: Date): Date | null {
    // The library works in whole seconds and excludes the given time, so pass the next second.
    const next = Math.floor(+until / SECOND_MS) * SECOND_MS + SECOND_MS;
    return cronOf(expression).previousRuns(1, new Date(next))[0] ?? null;
  }
}

/** Without a callback, the cron library starts no timer. */
const cronOf = (expression: string) => new Cron(expression, { mode: '5-part', utcOffset: 0, paused: true });
