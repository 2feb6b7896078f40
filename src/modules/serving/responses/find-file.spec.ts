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
    ['a page without its ending', ['about.html'], 'about', 'about.html'],
    ['a page without its ending in a folder', ['docs/about.html'], 'docs/about', 'docs/about.html'],
    ['the exact name before the one with .html', ['about', 'about.html'], 'about', 'about'],
    ['a folder', ['docs/index.html'], 'docs/', 'docs/index.html'],
    ['a folder without its slash: to be sent on', ['docs/index.html'], 'docs', '→ docs/'],
    ['a folder in a folder', ['a/b/index.html'], 'a/b', '→ a/b/'],
    ['the page before the folder of its name', ['docs.html', 'docs/index.html'], 'docs', 'docs.html'],
    ['the folder, when its slash was given', ['docs.html', 'docs/index.html'], 'docs/', 'docs/index.html'],
    ['a folder that has no index', ['docs/a.html'], 'docs', 'nothing'],
    ['a folder with its slash that has no index', ['docs/a.html'], 'docs/', 'nothing'],
    ['a page with a slash after it: to be sent on', ['about.html'], 'about/', '→ about'],
    ['a page with two slashes after it', ['about.html'], 'about//', 'nothing'],
    ['a page whose ending is given, with a slash after it', ['about.html'], 'about.html/', 'nothing'],
    ['index.html by its name', ['index.html'], 'index.html', 'index.html'],
    ['index without its ending', ['index.html'], 'index', 'index.html'],
    ['another case', ['About.html'], 'about', 'nothing'],
    ['letters with marks', ['caf\u00e9.html'], 'caf\u00e9', 'caf\u00e9.html'],
    ['nothing, with a page for that', ['index.html', '404.html'], 'gone', '404 404.html'],
    ['a folder that is not there, with a page for that', ['404.html'], 'gone/', '404 404.html'],
    ['a root without an index, with a page for that', ['404.html', 'a.html'], '', '404 404.html'],
    ['nothing, with such a page in a folder only', ['docs/404.html'], 'docs/gone', 'nothing'],
    ['404.html by its name', ['404.html'], '404.html', '404.html'],
    ['a way up', ['index.html'], '../index.html', 'nothing'],
    ['a way around', ['a/b.html'], 'a/../a/b.html', 'nothing'],
    ['a second slash', ['index.html'], '/index.html', 'nothing'],
    ['slashes alone', ['index.html'], '/', 'nothing'],
    ['another server', ['index.html'], '/evil.example', 'nothing'],
    ['NUL', ['index.html'], 'index.html\0', 'nothing'],
    ['half a character', ['index.html'], '\ud800', 'nothing'],
    ['what is about the site', ['_headers', '_redirects'], '_headers', 'nothing'],
    ['a file that is called like that in a folder', ['a/_headers'], 'a/_headers', 'a/_headers'],
    ['a name that every object has', ['index.html'], '__proto__', 'nothing'],
    ['another such name', ['index.html'], 'constructor/', 'nothing'],
  ])('returns the expected file for a path: %s', (_, paths, asked, expected) =>
    expect(found(paths, asked)).toBe(expected),
  );

  it('never returns a redirect to a folder that begins with a slash, because it could lead to another server', () => {
    for (const asked of ['/docs', '//docs', '/evil.example/docs', '\\docs'])
      expect(found(['docs/index.html'], asked)).toBe('nothing');
  });
});
