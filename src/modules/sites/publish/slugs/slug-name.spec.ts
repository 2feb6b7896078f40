import { describe, expect, it } from '@jest/globals';
import { reservedNames } from '../../../../kernel/reserved-names.js';
import { findSlugFault, readableSlug } from './slug-name.js';

describe('A slug', () => {
  it.each(['a', '7', 'my-site', 'a--b', '2026', 'x'.repeat(48), 'wwwx', 'api-docs', 'dep-otter', 'xn-a'])(
    'a slug can be %s',
    (slug) => expect(findSlugFault(slug)).toBeNull(),
  );

  it.each([
    ['is empty', ''],
    ['has 49 characters', 'x'.repeat(49)],
    ['has upper-case letters', 'My-Site'],
    ['begins with a hyphen', '-a'],
    ['ends with a hyphen', 'a-'],
    ['consists of a hyphen', '-'],
    ['contains a dot', 'a.b'],
    ['contains an underscore', 'a_b'],
    ['contains a space', 'a b'],
    ['contains a slash', 'a/b'],
    ['contains an accented letter', 'été'],
    ['contains a full-width digit', 'a１'],
    ['ends with a line break', 'a\n'],
    ['begins with a line break', '\na'],
  ])('a slug is invalid if it %s', (_, slug) => expect(findSlugFault(slug)).toMatch(/^must have 1 to 48/));

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
  ])('a slug can’t be %s, which is reserved', (slug) => {
    const fault = findSlugFault(slug);
    expect(fault).not.toBeNull();
    if (slug !== 'xn--') expect(fault).toBe(`must not be “${slug}”, which is reserved`);
  });

  it.each([
    ['is too short', `dep-${'0'.repeat(25)}`],
    ['is too long', `dep-${'0'.repeat(27)}`],
    ['contains letters that IDs do not use', `dep-${'u'.repeat(26)}`],
  ])('a slug can resemble the host of a preview if it %s', (_, slug) => expect(findSlugFault(slug)).toBeNull());
});

describe('Reserved names', () => {
  it('reserved names are sorted and unique, and would be valid slugs if they weren’t reserved', () => {
    expect(reservedNames).toEqual([...new Set(reservedNames)].sort());
    for (const name of reservedNames) expect(name).toMatch(/^[a-z0-9-]{1,48}$/);
  });
});

describe('A generated slug', () => {
  const most = 2 ** 48 - 1;
  const numbers = [0, 1, most, ...Array.from({ length: 3_000 }, (_, n) => (n * 7_919_777_777) % most)];

  it('a generated slug is valid and consists of two words and a number', () => {
    for (const slug of numbers.map(readableSlug)) {
      expect(slug).toMatch(/^[a-z]+-[a-z]+-[1-9]\d{3}$/);
      expect(findSlugFault(slug)).toBeNull();
    }
  });

  it('the same number always generates the same slug, and different numbers rarely do', () => {
    expect(numbers.map(readableSlug)).toEqual(numbers.map(readableSlug));
    expect(new Set(numbers.map(readableSlug)).size).toBeGreaterThan(numbers.length * 0.999);
  });
});
