import { describe, expect, it } from '@jest/globals';
import { cpuClock } from '../../../../test/support/hostile/cpu-clock.js';
import type { HostKind } from '../../../edge/http/server/hosts/hosts.js';
import { parseTarget } from './target.js';

const otter: HostKind = { kind: 'site', slug: 'amber-otter' };
const service: HostKind = { kind: 'service' };
const deployId = 'dep_01jd4v8k3mqg5t2x9w7z6y4r1p';

describe('URLs on a site’s own host', () => {
  it('a URL on a site’s own host names the site by host and the file by path', () =>
    expect(parseTarget(otter, '/docs/a.html?x=1')).toEqual({
      form: 'host',
      slug: 'amber-otter',
      hostname: null,
      deployId: null,
      prefix: '/',
      path: 'docs/a.html',
      query: '?x=1',
      slash: false,
    }));

  it('a URL can name a deploy by host', () =>
    expect(parseTarget({ kind: 'preview', deployId }, '/a')).toMatchObject({
      form: 'preview',
      slug: null,
      deployId,
      path: 'a',
    }));

  it.each([
    ['the root', '/', ''],
    ['spaces', '/my%20page.html', 'my page.html'],
    ['a plus sign, which does not stand for a space', '/a+b', 'a+b'],
    ['non-ASCII letters', '/caf%C3%A9', 'café'],
    ['combining marks, which are composed (NFC)', '/cafe%CC%81', 'caf\u00e9'],
    ['the maximum number of consecutive combining marks', `/a${'%CC%81'.repeat(30)}`, `\u00e1${'\u0301'.repeat(29)}`],
    ['an encoded slash', '/docs%2Fa', 'docs/a'],
    ['the name of another server after two slashes', '//evil.example', '/evil.example'],
    ['the name of another server after encoded slashes', '/%2F%2Fevil', '//evil'],
    ['the name of another server after an encoded backslash', '/%5Cevil', '\\evil'],
    ['a .. segment', '/../x', '../x'],
    ['.. segments with encoded slashes', '/..%2f..%2fetc', '../../etc'],
    ['an encoded .. segment', '/%2e%2e/x', '../x'],
    ['a .. segment that is encoded twice', '/%252e%252e/x', '%2e%2e/x'],
    ['a NUL character', '/%00', '\0'],
    ['a line break', '/a%0d%0ab', 'a\r\nb'],
    ['a path like those of sites on the service’s own host', '/s/other/', 's/other/'],
  ])('a path is decoded once, normalized to NFC, and not changed otherwise: %s', (_, url, path) => {
    expect(parseTarget(otter, url)).toMatchObject({ slug: 'amber-otter', path, prefix: '/', slash: false });
  });

  it.each(['/%E0%A4%A', '/%', '/%zz', '/%ff', '/a%c0%af', '/%ed%a0%80', '/%u0041'])(
    'the path of a URL is null if it can’t be decoded: %s',
    (url) => expect(parseTarget(otter, url)?.path).toBeNull(),
  );

  it.each(['/a', '/s/otter/'])(
    'a path with more than 30 consecutive combining marks is rejected quickly: %s',
    (start) => {
      const spent = cpuClock();
      for (const marks of [31, 2_500])
        expect(parseTarget(start === '/a' ? otter : service, start + '%CC%81'.repeat(marks))?.path).toBeNull();
      expect(spent()).toBeLessThan(2_000);
    },
  );

  it.each([
    ['/a?', 'a', '?'],
    ['/?a=b?c', '', '?a=b?c'],
    ['/a?%E0%A4%A', 'a', '?%E0%A4%A'],
    ['/a%3Fb', 'a?b', ''],
  ])('the query of a URL is kept unchanged: %s', (url, path, query) =>
    expect(parseTarget(otter, url)).toMatchObject({ path, query }),
  );

  it.each([
    ['http://amber-otter.stele.example/docs/a?x=1', 'docs/a', '?x=1'],
    ['https://amber-otter.stele.example:8443/', '', ''],
    ['HTTP://amber-otter.stele.example/a', 'a', ''],
    ['http://amber-otter.stele.example', '', ''],
    ['http://amber-otter.stele.example?x', '', '?x'],
    ['http://evil.example//a', '/a', ''],
  ])('a URL can be absolute, as sent by proxies (RFC 9112 section 3.2.2): %s', (url, path, query) =>
    expect(parseTarget(otter, url)).toMatchObject({ slug: 'amber-otter', path, query }),
  );
});

describe('URLs under the service’s own host', () => {
  it('a URL on the service’s own host names the site in the path', () =>
    expect(parseTarget(service, '/s/amber-otter/docs/a?x')).toEqual({
      form: 'path',
      slug: 'amber-otter',
      hostname: null,
      deployId: null,
      prefix: '/s/amber-otter/',
      path: 'docs/a',
      query: '?x',
      slash: false,
    }));

  it('a URL on the service’s own host names a deploy after an @', () =>
    expect(parseTarget(service, `/s/amber-otter/@${deployId}/docs/`)).toMatchObject({
      form: 'path',
      slug: 'amber-otter',
      deployId,
      prefix: `/s/amber-otter/@${deployId}/`,
      path: 'docs/',
      slash: false,
    }));

  it.each([
    ['/s/amber-otter', '/s/amber-otter/'],
    ['/s/amber-otter?x', '/s/amber-otter/'],
    [`/s/amber-otter/@${deployId}`, `/s/amber-otter/@${deployId}/`],
    ['http://stele.example/s/amber-otter', '/s/amber-otter/'],
  ])('a URL on the service’s own host can lack the trailing slash: %s', (url, prefix) =>
    expect(parseTarget(service, url)).toMatchObject({ prefix, slash: true }),
  );

  it('the path after the site’s name is kept unchanged', () => {
    expect(parseTarget(service, '/s/amber-otter//evil.example')).toMatchObject({
      slug: 'amber-otter',
      path: '/evil.example',
    });
    expect(parseTarget(service, '/s/amber-otter/..%2f..%2fv1/me')).toMatchObject({ path: '../../v1/me' });
    expect(parseTarget(service, '/s/amber-otter/%E0%A4%A')).toMatchObject({ path: null });
  });

  it('a URL with an invalid slug matches no site', () => {
    expect(parseTarget(service, '/s/..%2fv1/')).toMatchObject({ slug: '..%2fv1' });
    expect(parseTarget(service, '/s/@dep_1/')).toMatchObject({ slug: '@dep_1', deployId: null });
  });

  it.each([
    '/',
    '/s',
    '/s/',
    '/s//',
    '/s//amber-otter/',
    '/v1/deploy',
    '/S/amber-otter/',
    '//s/amber-otter/',
    '*',
    '',
    '/x/s/amber-otter/',
  ])('the URL %j is left to the service and names no site', (url) => expect(parseTarget(service, url)).toBeNull());
});

it('A URL on an unknown host has no site, whatever its path', () => {
  expect(parseTarget({ kind: 'unknown' }, '/')).toBeNull();
  expect(parseTarget({ kind: 'unknown' }, '/s/amber-otter/')).toBeNull();
});
