import { describe, expect, it } from '@jest/globals';
import { CronSchedules } from './cron-schedules.js';

const schedules = new CronSchedules();

describe('A cron schedule', () => {
  it.each([
    '0 * * * *',
    '30 3 * * *',
    '7 */2 * * *',
    '0 0 29 2 *',
    '0 6 1,15 JAN-mar *',
    '5 4 * * MON-FRI',
    '0-0 * * * *',
  ])('a cron schedule can be the expression %s', (expression) => expect(schedules.findFault(expression)).toBeNull());

  it.each([
    ['* * * * *', 'once an hour'],
    ['0,30 * * * *', 'once an hour'],
    ['*/59 3 * * *', 'once an hour'],
    ['59,0 * 29 2 *', 'once an hour'],
    ['0 0 30 2 *', 'a date that exists'],
    ['0 0 31 4,6,9,11 *', 'a date that exists'],
    ['60 * * * *', 'out of range'],
    ['0 22-2 * * *', 'malformed'],
    ['JAN * * * *', 'malformed'],
    ['', 'five fields'],
    ['@daily', 'five fields'],
    ['0 3 * *', 'five fields'],
    ['0 0 3 * * *', 'five fields'],
    ['0 3 L * *', 'five fields'],
    ['0 3 * * 1#2', 'five fields'],
    ['0 3 ? * 1', 'five fields'],
    ['0 3 * * *\n', 'five fields'],
    ['0  3 * * *', 'five fields'],
    [`${'0,'.repeat(100)}0 3 * * *`, 'five fields'],
  ])('a cron schedule can’t be the expression %j', (expression, why) =>
    expect(schedules.findFault(expression)).toContain(why),
  );

  it.each([
    ['0 3 * * *', '2026-11-20T03:00:00.000Z', '2026-11-20T03:00:00.000Z'],
    ['0 3 * * *', '2026-11-20T02:59:59.999Z', '2026-11-19T03:00:00.000Z'],
    ['30 * * * *', '2026-11-20T12:00:00.000Z', '2026-11-20T11:30:00.000Z'],
    // If an expression sets both the day of the month and the weekday, it is enough that one of them matches.
    ['0 0 29 2 1', '2026-02-28T12:00:00.000Z', '2026-02-23T00:00:00.000Z'],
    // UTC has no daylight saving time.
    ['30 2 * * *', '2026-03-29T12:00:00.000Z', '2026-03-29T02:30:00.000Z'],
  ])('the schedule %s, evaluated at %s, was last due at %s', (expression, until, time) =>
    expect(schedules.previous(expression, new Date(until))?.toISOString()).toBe(time),
  );
});
