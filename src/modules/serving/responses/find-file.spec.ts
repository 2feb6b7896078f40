import { describe, expect, it } from '@jest/globals';
import { decodeManifest, encodeManifest } from '../../../storage/blobs/manifest.js';
import { findFile } from './find-file.js';

function siteOf(...paths: string[]) {
  const { digest, text } = encodeManifest(paths.map((path) => ({ path, sha256: 'a'.repeat(64), size: 1 })));
  return decodeManifest(digest, text);
}

/** Returns the result for a path in short form: the file's path, `404 file`, `→ folder`, or `nothing`. */
function found(paths: readonly string[], asked: string): string {
  const result = findFile(siteOf(...paths), asked);
  if (result.kind === 'nothing') return 'nothing';
  if (result.kind === 'moved') return `→ ${result.path}`;
  return result.status === 404 ? `404 ${result.file.path}` : result.file.path;
}

describe('findFile', () => {
  it.each([
    ['the root', ['index.html'], '', 'index.html'],
    ['a file', ['app.js'], 'app.js', 'app.js'],
    ['a file in a folder', ['a/b.css'], 'a/b.css', 'a/b.css'],
    ['a page without its extension', ['about.html'], 'about', 'about.html'],
    ['a page without its extension in a folder', ['docs/about.html'], 'docs/about', 'docs/about.html'],
    ['a file with the exact name rather than the one with .html', ['about', 'about.html'], 'about', 'about'],
    ['a folder', ['docs/index.html'], 'docs/', 'docs/index.html'],
    ['a folder without its slash, which redirects', ['docs/index.html'], 'docs', '→ docs/'],
    ['a nested folder without its slash', ['a/b/index.html'], 'a/b', '→ a/b/'],
    ['a page that has the same name as a folder', ['docs.html', 'docs/index.html'], 'docs', 'docs.html'],
    ['a folder that has the same name as a page', ['docs.html', 'docs/index.html'], 'docs/', 'docs/index.html'],
    ['a folder that has no index', ['docs/a.html'], 'docs', 'nothing'],
    ['a folder with its slash that has no index', ['docs/a.html'], 'docs/', 'nothing'],
    ['a page with a trailing slash, which redirects', ['about.html'], 'about/', '→ about'],
    ['a page with two trailing slashes', ['about.html'], 'about//', 'nothing'],
    ['a page with its extension and a trailing slash', ['about.html'], 'about.html/', 'nothing'],
    ['index.html by its name', ['index.html'], 'index.html', 'index.html'],
    ['index.html without its extension', ['index.html'], 'index', 'index.html'],
    ['a name in another letter case', ['About.html'], 'about', 'nothing'],
    ['a name with an accented letter', ['caf\u00e9.html'], 'caf\u00e9', 'caf\u00e9.html'],
    ['a missing page of a site with a 404.html', ['index.html', '404.html'], 'gone', '404 404.html'],
    ['a missing folder of a site with a 404.html', ['404.html'], 'gone/', '404 404.html'],
    ['the root without an index on a site with a 404.html', ['404.html', 'a.html'], '', '404 404.html'],
    ['a missing page in a folder with its own 404.html', ['docs/404.html'], 'docs/gone', 'nothing'],
    ['404.html by its name', ['404.html'], '404.html', '404.html'],
    ['a path to the parent folder', ['index.html'], '../index.html', 'nothing'],
    ['a path with a .. segment', ['a/b.html'], 'a/../a/b.html', 'nothing'],
    ['a second leading slash', ['index.html'], '/index.html', 'nothing'],
    ['only slashes', ['index.html'], '/', 'nothing'],
    ['the name of another server', ['index.html'], '/evil.example', 'nothing'],
    ['a NUL character', ['index.html'], 'index.html\0', 'nothing'],
    ['an unpaired surrogate', ['index.html'], '\ud800', 'nothing'],
    ['a file about the site', ['_headers', '_redirects'], '_headers', 'nothing'],
    ['a file in a folder with the name of a file about the site', ['a/_headers'], 'a/_headers', 'a/_headers'],
    ['the name of a built-in property', ['index.html'], '__proto__', 'nothing'],
    ['a folder with the name of a built-in property', ['index.html'], 'constructor/', 'nothing'],
  ])('returns the expected file for a path: %s', (_, paths, asked, expected) =>
    expect(found(paths, asked)).toBe(expected),
  );

  it('never redirects a path that begins with two slashes, because that could lead to another server', () => {
    for (const asked of ['/docs', '//docs', '/evil.example/docs', '\\docs'])
      expect(found(['docs/index.html'], asked)).toBe('nothing');
  });
});
