import { describe, expect, it } from '@jest/globals';
import { httpDate } from './preconditions.js';

describe('httpDate', () => {
  const time = Date.UTC(1994, 10, 6, 8, 49, 37);

  it.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])(
    'accepts %s (RFC 9110 section 5.6.7)',
    (field) => expect(httpDate(field)).toBe(time),
  );

  it('accepts the format that the service sends', () => expect(httpDate(new Date(time).toUTCString())).toBe(time));

  it('interprets a two-digit year as at most fifty years in the future', () => {
    const year = new Date().getUTCFullYear() + 10;
    const digits = String(year % 100).padStart(2, '0');
    expect(httpDate(`Sunday, 06-Nov-${digits} 08:49:37 GMT`)).toBe(Date.UTC(year, 10, 6, 8, 49, 37));
  });

  it.each([
    '',
    'yesterday',
    '0',
    '1994-11-06T08:49:37Z',
    'Sun, 06 Nov 1994 08:49:37 PST',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sun, 31 Feb 1994 08:49:37 GMT',
    'Sun, 00 Nov 1994 08:49:37 GMT',
    'Sun, 06 Foo 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:60:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 999999 08:49:37 GMT',
    'Sun, 06 Nov -994 08:49:37 GMT',
    `${'Sun, '.repeat(3_000)}06 Nov 1994 08:49:37 GMT`,
  ])('rejects %s', (field) => expect(httpDate(field)).toBeNull());
});
