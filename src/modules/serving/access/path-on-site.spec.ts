import { describe, expect, it } from '@jest/globals';
import { pathOnSite } from './path-on-site.js';

describe('pathOnSite', () => {
  it.each(['/', '/docs/', '/a.html?b=1&c=%2F#d', '/caf%C3%A9', '/@x'])('keeps a path on the site: %s', (path) =>
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
  ])('replaces %j with the root path', (sent) => expect(pathOnSite(sent)).toBe('/'));

  it('returns the root path for a missing value', () =>
    expect([pathOnSite(null), pathOnSite(undefined)]).toEqual(['/', '/']));
});
