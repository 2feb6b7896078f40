import { expect, it } from '@jest/globals';
import { recordedPath } from './recorded-path.js';

it.each([
  ['/', '/'],
  ['/?q=secret', '/'],
  ['/a/b.html?token=1?2', '/a/b.html'],
  ['/caf%C3%A9', '/café'],
  ['/100%25', '/100%'],
  ['/%2525', '/%25'],
  ['/a%3Fb', '/a?b'],
  ['/bad%', '/bad%'],
  ['/%ff%fe', '/%ff%fe'],
  ['/a%00b', '/a�b'],
  ['/a%0d%0aSet-Cookie:x', '/a��Set-Cookie:x'],
  ['/%1b]0;title%07', '/�]0;title�'],
  ['/%e2%80%aegnp.exe', '/�gnp.exe'],
  ['/tab%09tab', '/tab�tab'],
])('The path of %s is recorded as %s', (url, path) => {
  expect(recordedPath(url, 0, 200)).toBe(path);
});

it('The path of a site under the service’s own URL is recorded relative to the site', () => {
  expect(recordedPath('/s/docs/a/b?x', '/s/docs'.length, 200)).toBe('/a/b');
  expect(recordedPath('/s/docs', '/s/docs'.length, 200)).toBe('/');
  expect(recordedPath('/s/docs?x', '/s/docs'.length, 200)).toBe('/');
});

it('A long path is truncated and remains valid text for PostgreSQL', () => {
  expect(recordedPath(`/${'x'.repeat(16_000)}`, 0, 200)).toHaveLength(512);
  expect(recordedPath(`/${'%C3%A9'.repeat(2_000)}`, 0, 200).length).toBeLessThanOrEqual(512);
  const pairs = recordedPath(`/${'%F0%9F%98%80'.repeat(300)}`, 0, 200);
  expect(pairs.length).toBeLessThanOrEqual(512);
  expect(pairs.isWellFormed()).toBe(true);
  // A path that is truncated within an encoded character can't be decoded, so it is recorded as it was sent.
  expect(recordedPath(`/${'%F0%9F%98%80'.repeat(1_000)}`, 0, 200)).toHaveLength(512);
});

it('The path of a missing page is truncated to 128 characters', () => {
  expect(recordedPath(`/${'x'.repeat(16_000)}`, 0, 404)).toHaveLength(128);
  expect(recordedPath(`/${'%C3%A9'.repeat(400)}`, 0, 404)).toBe(`/${'é'.repeat(127)}`);
});
