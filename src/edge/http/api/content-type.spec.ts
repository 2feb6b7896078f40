import { describe, expect, it } from '@jest/globals';
import { contentType } from './content-type.js';

describe('The media type of a file', () => {
  it.each([
    ['index.html', 'text/html; charset=utf-8'],
    ['INDEX.HTML', 'text/html; charset=utf-8'],
    ['a/b.css', 'text/css; charset=utf-8'],
    ['app.js', 'text/javascript; charset=utf-8'],
    ['app.mjs', 'text/javascript; charset=utf-8'],
    ['data.json', 'application/json; charset=utf-8'],
    ['site.webmanifest', 'application/manifest+json; charset=utf-8'],
    ['feed.xml', expect.stringMatching(/xml/)],
    ['logo.svg', expect.stringMatching(/^image\/svg\+xml/)],
    ['photo.jpeg', 'image/jpeg'],
    ['photo.webp', 'image/webp'],
    ['photo.avif', 'image/avif'],
    ['font.woff2', 'font/woff2'],
    ['lib.wasm', 'application/wasm'],
    ['app.min.js.map', 'application/json; charset=utf-8'],
    ['notes.txt', 'text/plain; charset=utf-8'],
    ['archive.tar.gz', 'application/gzip'],
    ['archive.tgz', 'application/gzip'],
    ['apple-app-site-association', 'application/json; charset=utf-8'],
    ['.well-known/apple-app-site-association', 'application/json; charset=utf-8'],
    ['.well-known/openid-configuration', 'application/json; charset=utf-8'],
    ['a.mobileconfig', 'application/x-apple-aspen-config'],
    ['chair.reality', 'model/vnd.reality'],
    ['LICENSE', 'text/plain; charset=utf-8'],
    ['docs/readme', 'text/plain; charset=utf-8'],
    ['main.py', 'text/plain; charset=utf-8'],
    ['main.RS', 'text/plain; charset=utf-8'],
    ['install.sh', 'text/plain; charset=utf-8'],
    ['install.ps1', 'text/plain; charset=utf-8'],
    ['sky.frag', 'text/plain; charset=utf-8'],
    ['map.topojson', 'application/json; charset=utf-8'],
    ['hand.cur', 'image/vnd.microsoft.icon'],
    ['rows.ndjson', 'application/x-ndjson'],
    ['app.cjs', 'text/javascript; charset=utf-8'],
  ])('the media type depends on the file extension: %s', (path, type) => expect(contentType(path)).toEqual(type));

  it.each([
    'constructor',
    'x.constructor',
    'openid-configuration',
    'folder.html/file',
    'a.',
    '.html.',
    'x.unheard-of',
    '',
    'html',
  ])('the media type is unknown for %j, so that browsers do not run the file', (path) =>
    expect(contentType(path)).toBe('application/octet-stream'),
  );
});
