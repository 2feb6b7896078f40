import { expect, it } from '@jest/globals';
import { visitorFields } from './visitor-fields.js';

const NONE = { userAgent: '', referer: '', forwardedFor: null, objects: false, isPrefetch: false };

it('Header names are matched case-insensitively', () => {
  const sent = [
    'Host',
    'a',
    'User-Agent',
    'x',
    'REFERER',
    'https://b/',
    'X-Forwarded-For',
    '1.1.1.1',
    'x-forwarded-for',
    '2.2.2.2',
  ];
  expect(visitorFields(sent)).toEqual({
    ...NONE,
    userAgent: 'x',
    referer: 'https://b/',
    forwardedFor: '1.1.1.1,2.2.2.2',
  });
  expect(visitorFields([])).toEqual(NONE);
  expect(visitorFields(['user-agent'])).toEqual(NONE);
});

it('Only the first of several header fields with the same name is used', () => {
  expect(visitorFields(['user-agent', 'a', 'user-agent', 'b'])).toEqual({ ...NONE, userAgent: 'a' });
});

it.each([
  ['DNT', '1', true],
  ['Sec-GPC', '1', true],
  ['DNT', '0', false],
  ['Sec-GPC', '?1', false],
])('The header “%s: %s” opts out of being recognized: %p', (name, value, objects) => {
  expect(visitorFields([name, value]).objects).toBe(objects);
});

it.each([
  ['Sec-Purpose', 'prefetch;prerender', true],
  ['Purpose', 'prefetch', true],
  ['Sec-Purpose', 'PREFETCH', true],
  ['Sec-Purpose', 'no', false],
])('The header “%s: %s” marks a prefetch: %p', (name, value, isPrefetch) => {
  expect(visitorFields([name, value]).isPrefetch).toBe(isPrefetch);
});

it('Header fields of 16 KiB are truncated', () => {
  const long = 'x'.repeat(16_000);
  const { userAgent, referer, forwardedFor } = visitorFields([
    'user-agent',
    long,
    'referer',
    long,
    'x-forwarded-for',
    `${long},9.9.9.9`,
  ]);
  expect([userAgent.length, referer.length, forwardedFor?.length]).toEqual([512, 512, 512]);
  expect(forwardedFor?.endsWith(',9.9.9.9')).toBe(true);
});
