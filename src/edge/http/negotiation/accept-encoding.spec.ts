import { describe, expect, it } from '@jest/globals';
import { cpuClock } from '../../../../test/support/hostile/cpu-clock.js';
import { acceptedCodings } from './accept-encoding.js';

const taken = (field: string | undefined) => {
  const { codings, identity } = acceptedCodings(field);
  return [...codings, ...(identity ? ['plain'] : [])].join(' ');
};

describe('Accept-Encoding', () => {
  it.each([
    [undefined, 'plain'],
    ['', 'plain'],
    ['gzip, deflate, br, zstd', 'br zstd gzip plain'],
    ['gzip', 'gzip plain'],
    ['x-gzip', 'gzip plain'],
    ['GZIP;Q=0.5', 'gzip plain'],
    ['br;q=0.5, gzip', 'gzip br plain'],
    ['br;q=0, gzip', 'gzip plain'],
    ['br ; q=0.001', 'br plain'],
    ['*', 'br zstd gzip plain'],
    ['*;q=0', ''],
    ['gzip, *;q=0', 'gzip'],
    ['identity;q=0', ''],
    ['identity;q=0, zstd', 'zstd'],
    ['identity', 'plain'],
    ['identity, *;q=0', 'plain'],
    ['identity;q=0.5, gzip;q=0.9, br;q=0.2', 'gzip plain'],
    ['deflate, compress', 'plain'],
    ['br;q=2', 'plain'],
    ['br;q=-1', 'plain'],
    ['br;q=0.0001', 'plain'],
    ['br;q=NaN', 'plain'],
    ['br gzip', 'plain'],
    ['b\u00e9, br', 'br plain'],
    [',,,br,,', 'br plain'],
    ['__proto__, constructor;q=1', 'plain'],
  ])('the header %j selects: %s', (field, expected) => expect(taken(field)).toBe(expected));

  it('malformed and huge headers are parsed quickly, and long headers are not cached', () => {
    const bombs = ['a,'.repeat(8_000), `br${' '.repeat(16_000)}x`, `br;q=${'0'.repeat(16_000)}`, ';'.repeat(16_000)];
    const spent = cpuClock();
    for (const bomb of bombs) expect(taken(bomb)).toBe('plain');
    expect(spent()).toBeLessThan(2_000);
    expect(acceptedCodings(bombs[0])).not.toBe(acceptedCodings(bombs[0]));
    expect(acceptedCodings('gzip, br')).toBe(acceptedCodings('gzip, br'));
  });
});
