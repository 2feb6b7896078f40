import { describe, expect, it } from '@jest/globals';
import { pathOnSite } from './path-on-site.js';

describe('Where a visitor goes on to', () => {
  it.each(['/', '/docs/', '/a.html?b=1&c=%2F#d', '/caf%C3%A9', '/@x'])('is the path that was sent: %s', (path) =>
    expect(pathOnSite(path)).toBe(path),
  );

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/a\\b',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/a\r\nset-cookie: x=1',
    '/café',
    '',
    'docs',
    '/.stele/?to=/',
    '/.stele',
    `/${'a'.repeat(2_000)}`,
  ])('is the first page for %j', (sent) => expect(pathOnSite(sent)).toBe('/'));

  it('is the first page where nothing was sent', () =>
    expect([pathOnSite(null), pathOnSite(undefined)]).toEqual(['/', '/']));
});
