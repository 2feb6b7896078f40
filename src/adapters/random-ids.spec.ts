import { describe, expect, it } from '@jest/globals';
import { isId } from '../kernel/ids.js';
import { RandomIds } from './random-ids.js';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const ids = new RandomIds();

const bitsOf = (id: string) =>
  [...id.slice(id.indexOf('_') + 1)].reduce((bits, digit) => bits * 32n + BigInt(CROCKFORD.indexOf(digit)), 0n);

describe('A generated ID', () => {
  it('an ID has a prefix and 26 characters of Crockford’s base32', () => {
    expect(ids.make('site')).toMatch(/^site_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    for (let n = 0; n < 1_000; n++) expect(isId('dep', ids.make('dep'))).toBe(true);
  });

  it('an ID is a UUIDv7 of the current time (RFC 9562 section 5.7)', () => {
    const before = Date.now();
    const bits = bitsOf(ids.make('evt'));
    const after = Date.now();
    const milliseconds = Number(bits >> 80n);
    expect(milliseconds).toBeGreaterThanOrEqual(before);
    expect(milliseconds).toBeLessThanOrEqual(after);
    expect((bits >> 76n) & 15n).toBe(7n);
    expect((bits >> 62n) & 3n).toBe(2n);
  });

  it('IDs sort by creation time', async () => {
    const made: string[] = [];
    for (let n = 0; n < 20; n++) {
      made.push(ids.make('evt'));
      const now = Date.now();
      while (Date.now() === now) await new Promise(setImmediate);
    }
    expect([...made].sort()).toEqual(made);
  });

  it('an ID is unique and reveals nothing about the previous one', () => {
    const made = Array.from({ length: 20_000 }, () => ids.make('evt'));
    expect(new Set(made).size).toBe(made.length);

    const random = made.map((id) => bitsOf(id) & ((1n << 62n) - 1n));
    const steps = random.slice(1).map((bits, n) => bits - (random[n] ?? 0n));
    // A counter or incremented random bits would show up as small steps and ascending pairs.
    expect(steps.filter((step) => step > 0n).length / steps.length).toBeCloseTo(0.5, 1);
    expect(steps.filter((step) => step < 1n << 30n && step > -(1n << 30n))).toEqual([]);
    const set = random.reduce((sum, bits) => sum + bits.toString(2).replaceAll('0', '').length, 0);
    expect(set / random.length / 62).toBeCloseTo(0.5, 2);
  });
});

describe('The pattern that matches IDs', () => {
  const id = ids.make('dep');
  it.each([
    ['an ID with another prefix', 'site', id],
    ['an ID without a prefix', 'dep', id.slice(4)],
    ['an ID with a character missing', 'dep', id.slice(0, -1)],
    ['an ID with an extra character', 'dep', `${id}0`],
    ['an ID in upper case', 'dep', id.toUpperCase()],
    ['an ID with a letter that is not in the alphabet', 'dep', `${id.slice(0, -1)}u`],
    ['an ID of more than 128 bits', 'dep', `dep_8${id.slice(5)}`],
    ['an ID followed by a line break', 'dep', `${id}\n`],
    ['an empty string', 'dep', ''],
  ] as const)('the pattern does not match %s', (_, prefix, text) => expect(isId(prefix, text)).toBe(false));
});
