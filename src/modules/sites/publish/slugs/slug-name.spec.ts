import { describe, expect, it } from '@jest/globals';
import { reservedNames } from '../../../../kernel/reserved-names.js';
import { findSlugFault, readableSlug } from './slug-name.js';

describe('A slug', () => {
  it.each(['a', '7', 'my-site', 'a--b', '2026', 'x'.repeat(48), 'wwwx', 'api-docs', 'dep-otter', 'xn-a'])(
    'can be %s',
    (slug) => expect(findSlugFault(slug)).toBeNull(),
  );

  it.each([
    ['empty', ''],
    ['49 characters long', 'x'.repeat(49)],
    ['in capitals', 'My-Site'],
    ['begun with a hyphen', '-a'],
    ['ended with a hyphen', 'a-'],
    ['a hyphen', '-'],
    ['dotted', 'a.b'],
    ['with an underscore', 'a_b'],
    ['with a blank', 'a b'],
    ['with a slash', 'a/b'],
    ['in other letters', 'été'],
    ['with a full-width digit', 'a１'],
    ['followed by a line break', 'a\n'],
    ['led by a line break', '\na'],
  ])('can’t be %s', (_, slug) => expect(findSlugFault(slug)).toMatch(/^must have 1 to 48/));

  it.each([
    'www',
    'api',
    'app',
    'admin',
    'mail',
    'mcp',
    'status',
    'static',
    'assets',
    'console',
    'dev',
    'localhost',
    'xn--80ak6aa92e',
    'xn--',
    `dep-${'0'.repeat(26)}`,
  ])('can’t be %s, which is reserved', (slug) => {
    const fault = findSlugFault(slug);
    expect(fault).not.toBeNull();
    if (slug !== 'xn--') expect(fault).toBe(`must not be “${slug}”, which is reserved`);
  });

  it.each([
    ['too short', `dep-${'0'.repeat(25)}`],
    ['too long', `dep-${'0'.repeat(27)}`],
    ['in letters that ids do not use', `dep-${'u'.repeat(26)}`],
  ])('can look like the host of a preview if it is %s', (_, slug) => expect(findSlugFault(slug)).toBeNull());
});

describe('Reserved names', () => {
  it('are sorted, unique and otherwise valid slugs', () => {
    expect(reservedNames).toEqual([...new Set(reservedNames)].sort());
    for (const name of reservedNames) expect(name).toMatch(/^[a-z0-9-]{1,48}$/);
  });
});

describe('A generated slug', () => {
  const most = 2 ** 48 - 1;
  const numbers = [0, 1, most, ...Array.from({ length: 3_000 }, (_, n) => (n * 7_919_777_777) % most)];

  it('is valid and consists of two words and a number', () => {
    for (const slug of numbers.map(readableSlug)) {
      expect(slug).toMatch(/^[a-z]+-[a-z]+-[1-9]\d{3}$/);
      expect(findSlugFault(slug)).toBeNull();
    }
  });

  it('is the same for the same number, and rarely the same for different numbers', () => {
    expect(numbers.map(readableSlug)).toEqual(numbers.map(readableSlug));
    expect(new Set(numbers.map(readableSlug)).size).toBeGreaterThan(numbers.length * 0.999);
  });
});
