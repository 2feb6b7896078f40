import { describe, expect, it } from '@jest/globals';
import { FileAddresses } from './base-path.js';

const found = (page: string, ...paths: string[]) => {
  const addresses = new FileAddresses();
  addresses.see('index.html', Buffer.from(page));
  return addresses.findBasePath(paths.map((path) => ({ path, sha256: '0', size: 1 })));
};

describe('FileAddresses', () => {
  it('detects that a site was built for a subpath', () => {
    const page = '<!doctype html>\n<link rel=stylesheet href="/my-repo/style.css"><h1>x</h1>';
    expect(found(page, 'index.html', 'style.css')).toEqual({
      ...{ file: 'index.html', line: 2 },
      message: expect.stringMatching(
        /refers to \/my-repo\/style\.css, which is not in the deploy, but style\.css is\. .* built for the path \/my-repo\/.*`base` \(Vite/,
      ),
    });
  });

  it.each([
    ['<script type="module" src="/my-repo/assets/index-a1.js"></script>', 'assets/index-a1.js', '/my-repo/'],
    ['<img src=/user/repo/é.png>', 'é.png', '/user/repo/'],
    ['<img src="/user/repo/a%20b.png?v=1">', 'a b.png', '/user/repo/'],
    ['<base href="/my-repo/"><script src="main-A1.js"></script>', 'main-A1.js', '/my-repo/'],
    ['<base target=_top href=/my-repo/><link rel=stylesheet href=./a/b.css>', 'a/b.css', '/my-repo/'],
  ])('detects the base path of %s in a deploy with the file %s', (page, path, base) =>
    expect(found(page, 'index.html', path)?.message).toContain(`built for the path ${base}.`),
  );

  it.each([
    ['a URL of an existing file', '<script src="/a/b.js"></script>', ['a/b.js', 'b.js']],
    ['a URL of a missing file', '<script src="/a/b.js"></script>', ['c.js']],
    ['a URL of a page, which can be redirected', '<a href="/en/about.html">', ['about.html']],
    ['a URL on another host', '<script src="//cdn.example/b.js"></script>', ['b.js']],
    ['a relative URL', '<script src="x/b.js"></script>', ['b.js']],
    ['a base URL that is the root', '<base href="/"><script src="x/b.js"></script>', ['x/b.js']],
    ['a URL on another host below a base URL', '<base href="/my-repo/"><a href="https://example.org/b.js">', ['b.js']],
  ])('does not warn about %s', (_, page, paths) => expect(found(page, 'index.html', ...paths)).toBeNull());
});

describe('Files of an upload form that were sent without their folders', () => {
  const flat = (page: string, ...paths: string[]) => {
    const addresses = new FileAddresses();
    addresses.see('index.html', Buffer.from(page));
    return addresses.findMissingFolders(['index.html', ...paths].map((path) => ({ path, sha256: '0', size: 1 })));
  };

  it.each([
    ['<script src="js/app.js"></script>', 'app.js', 'js/app.js'],
    ['<link href=./css/a.css>', 'a.css', 'css/a.css'],
    ['<img src="/img/a%20b.png?v=1">', 'a b.png', 'img/a b.png'],
  ])('a missing folder is detected from a URL in the page: %s', (page, path, wanted) =>
    expect(flat(page, path)).toEqual({
      file: 'index.html',
      line: 1,
      message: expect.stringContaining(`filename=${wanted}`),
    }),
  );

  it.each([
    ['a file in the same folder as the page', '<script src="app.js"></script>', ['app.js']],
    ['a file that is missing', '<script src="js/other.js"></script>', ['app.js']],
    ['a form with folders', '<script src="js/app.js"></script>', ['app.js', 'css/a.css']],
    ['another host', '<script src="https://cdn.example/js/app.js"></script>', ['app.js']],
    ['a folder above', '<script src="../js/app.js"></script>', ['app.js']],
  ])('%s causes no warning', (_, page, paths) => expect(flat(page, ...paths)).toBeNull());
});
