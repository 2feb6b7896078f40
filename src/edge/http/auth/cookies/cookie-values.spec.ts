import { describe, expect, it } from '@jest/globals';
import { cpuClock } from '../../../../../test/support/hostile/cpu-clock.js';
import { cookieValues } from './cookie-values.js';

describe('Cookie values', () => {
  it.each<[string, string | undefined, string[]]>([
    ['no cookies', undefined, []],
    ['other cookies', 'a=1; xid=2; idx=3; ID=4', []],
    ['the name without a value', 'id; id ; =id', []],
    ['one value', 'id=1', ['1']],
    ['an empty value', 'id=', ['']],
    ['several values, in their order', 'id=1; a=2; id=3', ['1', '3']],
    ['an equals sign in the value', 'id=a=b=', ['a=b=']],
    ['spaces and tabs around a value', ' \t id=1 \t ; id=2\t', ['1', '2']],
    ['spaces within the value', 'id= a  b ', [' a  b']],
    ['other white space before the name', '\u00a0id=1; \u2000id=2; \x0bid=3', []],
  ])('cookie values are read correctly if the request has %s', (_, header, values) =>
    expect(cookieValues(header, 'id')).toEqual(values),
  );

  it.each([
    ['in an otherwise empty header', ' '.repeat(60_000)],
    ['within a value', `id=a${' \t'.repeat(30_000)}b`],
    ['before the name', `${' '.repeat(60_000)}id=1`],
  ])('cookie values are found quickly among tens of thousands of spaces and tabs %s', (_, header) => {
    const spent = cpuClock();
    cookieValues(header, 'id');
    expect(spent()).toBeLessThan(2_000);
  });
});
