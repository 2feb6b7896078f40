import { describe, expect, it } from '@jest/globals';
import { manifestOf, rulesOf } from '../../../../test/support/sites/site-rules.js';
import { listNames } from '../responses/folder-names.js';
import { type Capabilities, resolve } from './resolve.js';
import { NO_RULES } from './site-rules.js';

const site = (...paths: string[]) => ({ manifest: manifestOf(paths), rules: NO_RULES });
const asked = (path: string) => ({ path, query: '', prefix: '/' });
const spa: Capabilities = { spa: true, listing: false };
const NONE: Capabilities = { spa: false, listing: false };
const listing: Capabilities = { spa: false, listing: true };

describe('The fallback for single-page apps', () => {
  it.each(['any/page', 'any/page/', 'v1.2/page'])(
    'the single-page app fallback shows index.html for the missing page %s',
    (path) => {
      expect(resolve(site('index.html', '404.html'), asked(path), spa)).toMatchObject({
        status: 200,
        file: { path: 'index.html' },
      });
    },
  );

  it.each(['missing.js', 'assets/missing.css', '.env'])(
    'the single-page app fallback shows 404.html for the missing file %s, which is not a page',
    (path) => {
      expect(resolve(site('index.html', '404.html'), asked(path), spa)).toMatchObject({
        status: 404,
        file: { path: '404.html' },
      });
    },
  );

  it.each([
    ['activate/user@example.org', '200 index.html'],
    ['docs/v1.2', '200 index.html'],
    ['user/john.doe', '200 index.html'],
    ['missing.js', '404 404.html'],
    ['photo.webp', '404 404.html'],
    ['data.json', '404 404.html'],
    ['.env', '404 404.html'],
    ['assets/index-DiwrgTda.css', '404 404.html'],
  ])('a browser that opens /%s gets %s', (path, expected) => {
    const answer = resolve(site('index.html', '404.html'), { ...asked(path), isNavigation: true }, spa);
    expect(answer.kind === 'file' && `${answer.status} ${answer.file.path}`).toBe(expected);
    expect(resolve(site('index.html', '404.html'), asked(path), spa)).toMatchObject({ status: 404 });
  });

  it('the response to a missing path with a dot depends on the Accept header', () => {
    const one = { ...asked('user@example.org'), isNavigation: true };
    expect(resolve(site('index.html'), one, spa)).toMatchObject({ isByAccept: true });
    expect(resolve(site('index.html'), { ...asked('user'), isNavigation: true }, spa)).not.toHaveProperty('isByAccept');
  });

  it('the single-page app fallback does not affect existing files, or sites without index.html', () => {
    expect(resolve(site('index.html', 'about.html'), asked('about'), spa)).toMatchObject({
      file: { path: 'about.html' },
    });
    expect(resolve(site('other.html'), asked('page'), spa)).toEqual({ kind: 'nothing', status: 404 });
  });

  it('the single-page app fallback applies only if it is enabled', () => {
    expect(resolve(site('index.html'), asked('any/page'))).toEqual({ kind: 'nothing', status: 404 });
  });
});

describe('Folder listings', () => {
  const shelf = site(
    'b.txt',
    'a/one.txt',
    'a/deep/two.txt',
    'a/deep/three.txt',
    'c/index.html',
    '_headers',
    '_redirects',
  );

  it('a folder listing contains the files of the folder, but not _headers and _redirects', () => {
    expect(resolve(shelf, asked(''), listing)).toEqual({ kind: 'listing', path: '' });
    expect(listNames(shelf.manifest, '')).toEqual(['a/', 'b.txt', 'c/']);
    expect(resolve(shelf, asked('a/'), listing)).toEqual({ kind: 'listing', path: 'a/' });
    expect(listNames(shelf.manifest, 'a/')).toEqual(['deep/', 'one.txt']);
    expect(resolve(site('_headers', '_redirects'), asked(''), listing)).toEqual({ kind: 'nothing', status: 404 });
  });

  it('no listing is shown for a folder with an index, or for a missing folder', () => {
    expect(resolve(shelf, asked('c/'), listing)).toMatchObject({ file: { path: 'c/index.html' } });
    expect(resolve(shelf, asked('d/'), listing)).toEqual({ kind: 'nothing', status: 404 });
    expect(resolve(shelf, asked('b'), listing)).toEqual({ kind: 'nothing', status: 404 });
  });

  it('a folder can be listed even if a page has the same name', () => {
    const both = site('docs.html', 'docs/a.txt', 'about.html');
    expect(resolve(both, asked('docs/'), listing)).toEqual({ kind: 'listing', path: 'docs/' });
    expect(resolve(both, asked('docs/'))).toMatchObject({ status: 308, location: '/docs' });
    expect(resolve(both, asked('about/'), listing)).toMatchObject({ status: 308, location: '/about' });
  });

  it('folder listings are shown only if they are enabled', () => {
    expect(resolve(shelf, asked('a/'))).toEqual({ kind: 'nothing', status: 404 });
  });
});

describe('Redirects', () => {
  it('redirects take precedence over the fallbacks for missing pages', async () => {
    const { rules } = await rulesOf('/page /elsewhere');
    const both = { manifest: manifestOf(['index.html']), rules };
    expect(resolve(both, asked('page'), { spa: true, listing: true })).toMatchObject({ location: '/elsewhere' });
  });

  it('a rewrite to a missing page shows the single-page app fallback, but a missing script returns 404', async () => {
    const { rules } = await rulesOf('/app/* /:splat 200!');
    const app = { manifest: manifestOf(['index.html', 'a.js']), rules };
    const shown = (path: string, capabilities?: Capabilities) =>
      capabilities ? resolve(app, asked(path), capabilities) : resolve(app, asked(path));
    expect(shown('app/user', spa)).toMatchObject({ status: 200, file: { path: 'index.html' } });
    expect(shown('app/a.js', spa)).toMatchObject({ status: 200, file: { path: 'a.js' } });
    expect(shown('app/b.js', spa)).toEqual({ kind: 'nothing', status: 404 });
    expect(shown('app/index-DiwrgTda.js', spa)).toEqual({ kind: 'nothing', status: 404 });
    expect(shown('app/user')).toEqual({ kind: 'nothing', status: 404 });
    expect(shown('app/user', listing)).toEqual({ kind: 'nothing', status: 404 });
  });

  it('up to seven redirects that lead back to the requested URL are skipped', async () => {
    const back = '/* /:splat\n';
    for (const [lines, location] of [
      [7, '/there'],
      [8, undefined],
    ] as const) {
      const { rules } = await rulesOf(`${back.repeat(lines)}/a /there`);
      const answer = resolve({ manifest: manifestOf([]), rules }, asked('a'));
      expect('location' in answer ? answer.location : undefined).toBe(location);
    }
  });

  it.each([
    ['/x/ /x 301!', ['x/index.html'], 'x/', '200 x/index.html'],
    ['/about /about/ 301!', ['about.html'], 'about', '200 about.html'],
    ['/* /en/:splat 301', ['404.html'], 'a', '404 404.html'],
    ['/* /en/:splat 301', ['en/a.html'], 'a', '301 /en/a'],
    ['/:a/:b /:b/:a', [], '1/2', '404'],
    ['/a /b\n/b /a', [], 'a', '404'],
    ['/c /a\n/a /b\n/b /a', [], 'c', '301 /a'],
    ['/c /a\n/* /en/:splat', [], 'c', '301 /a'],
    ['/en/old /new\n/* /en/:splat', ['new.html'], 'old', '301 /en/old'],
    ['/x/* /:splat', ['a.html'], 'x/x/x/a', '301 /x/x/a'],
    ['/a /b\n/b /c\n/c /d\n/d /e', ['e.html'], 'a', '301 /b'],
    ['/a/* https://a.example/a/:splat', [], 'a/b', '301 https://a.example/a/b'],
  ])(
    'redirects never form an endless chain: %s with the files %j, requesting /%s',
    async (lines, files, path, expected) => {
      const { rules } = await rulesOf(lines);
      const answer = resolve({ manifest: manifestOf(files), rules }, asked(path));
      expect(
        `${'status' in answer ? answer.status : ''}${answer.kind === 'redirect' ? ` ${answer.location}` : answer.kind === 'file' ? ` ${answer.file.path}` : ''}`,
      ).toBe(expected);
    },
  );

  it('a redirect for exactly the requested path applies even if its file name contains a hash', async () => {
    const { rules } = await rulesOf('/now-4f9a8c21.js /app-4f9a8c21.js 200');
    const answer = resolve({ manifest: manifestOf(['app-4f9a8c21.js']), rules }, asked('now-4f9a8c21.js'));
    expect(answer).toMatchObject({ status: 200, file: { path: 'app-4f9a8c21.js' } });
  });

  it('a missing file with a hash in its name returns 404 unless a redirect is forced', async () => {
    const files = ['index.html', '404.html', 'assets/index-BEJ7suss.css'];
    const { rules } = await rulesOf('/* /index.html 200\n');
    const shown = (path: string) => resolve({ manifest: manifestOf(files), rules }, asked(path), spa);
    expect(shown('assets/index-DiwrgTda.css')).toMatchObject({ status: 404, file: { path: '404.html' } });
    expect(shown('assets/index-BEJ7suss.css')).toMatchObject({ status: 200, file: { path: files[2] } });
    expect(shown('assets/old-chunk.js')).toMatchObject({ status: 200, file: { path: 'index.html' } });
    const { rules: forced } = await rulesOf('/assets/* https://cdn.example/:splat 301!');
    const answer = resolve({ manifest: manifestOf(files), rules: forced }, asked('assets/index-DiwrgTda.css'));
    expect(answer).toMatchObject({ location: 'https://cdn.example/index-DiwrgTda.css' });
  });

  it('redirects never show the _headers and _redirects files', async () => {
    const { rules } = await rulesOf('/a /_headers 200\n/b/* /:splat 200!');
    for (const path of ['a', 'b/_redirects', 'b//_headers'])
      expect(resolve({ manifest: manifestOf(['_headers', '_redirects']), rules }, asked(path))).toEqual({
        kind: 'nothing',
        status: 404,
      });
  });
});

describe('A path with repeated slashes', () => {
  const files = ['index.html', '404.html', 'about.html', 'a/b/c.js', 'a/docs/index.html', 'list/x.txt'];
  const outcome = async (path: string, redirects = '', capabilities = NONE, query = '') => {
    const { rules } = await rulesOf(redirects);
    const found = resolve({ manifest: manifestOf(files), rules }, { path, query, prefix: '/' }, capabilities);
    if (found.kind === 'redirect') return `${found.status} ${found.location}`;
    return found.kind === 'file' ? `${found.status} ${found.file.path}` : found.kind;
  };

  it.each([
    ['a//b///c.js', '308 /a/b/c.js'],
    ['/a/b/c.js', '308 /a/b/c.js'],
    ['///', '308 /'],
    ['about//', '308 /about'],
    ['a//docs', '308 /a/docs/'],
    ['a/docs//', '308 /a/docs/'],
    ['a//c.js', '404 404.html'],
    ['/evil.example/docs', '404 404.html'],
    ['go/https://example.org/about', '404 404.html'],
  ])('repeated slashes in a path are merged: /%s returns %s', async (path, expected) =>
    expect(await outcome(path)).toBe(expected),
  );

  it('merging repeated slashes in a path keeps the query unchanged, even if it contains a URL', async () => {
    expect(await outcome('/about', '', NONE, '?next=https://example.org//x')).toBe(
      '308 /about?next=https://example.org//x',
    );
  });

  it.each([
    ['/web/* /about 200', 'web/https://a', '200 about.html'],
    ['/a/* https://example.org/:splat 302', 'a//b/c.js', '302 https://example.org//b/c.js'],
    ['/* /index.html 200', 'a//b/c.js', '200 index.html'],
  ])('repeated slashes are not merged if the redirect %s applies to the path', async (redirects, path, expected) =>
    expect(await outcome(path, redirects)).toBe(expected),
  );

  it('repeated slashes are merged if that leads to a file; otherwise, the single-page app fallback applies', async () => {
    expect(await outcome('a//b/c.js', '', spa)).toBe('308 /a/b/c.js');
    expect(await outcome('view/https://example.org/', '', spa)).toBe('200 index.html');
  });

  it('merging slashes never causes an endless redirect chain, even if a redirect adds slashes', async () => {
    expect(await outcome('about', '/about /x//about 301!\n/x/* /:splat 301')).toBe('200 about.html');
    expect(await outcome('a/b/c.js', '/a/b/c.js /a//b/c.js 301!')).toBe('200 a/b/c.js');
  });
});
