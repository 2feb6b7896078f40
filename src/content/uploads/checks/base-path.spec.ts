import { describe, expect, it } from '@jest/globals';
import { FileAddresses } from './base-path.js';

const found = (page: string, ...paths: string[]) => {
  const addresses = new FileAddresses();
  addresses.see('index.html', Buffer.from(page));
  return addresses.findBasePath(paths.map((path) => ({ path, sha256: '0', size: 1 })));
};

describe('FileAddresses', () => {
  it('a site that was built for a path is recognized by its files', () => {
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
  ])('%s with %s', (page, path, base) =>
    expect(found(page, 'index.html', path)?.message).toContain(`built for the path ${base}.`),
  );

  it.each([
    ['a file at its address', '<script src="/a/b.js"></script>', ['a/b.js', 'b.js']],
    ['a file that is nowhere', '<script src="/a/b.js"></script>', ['c.js']],
    ['a page, which can be redirected', '<a href="/en/about.html">', ['about.html']],
    ['another host', '<script src="//cdn.example/b.js"></script>', ['b.js']],
    ['a relative address', '<script src="x/b.js"></script>', ['b.js']],
    ['a base that is the root', '<base href="/"><script src="x/b.js"></script>', ['x/b.js']],
    ['a base with other addresses', '<base href="/my-repo/"><a href="https://example.org/b.js">', ['b.js']],
  ])('%s causes no warning', (_, page, paths) => expect(found(page, 'index.html', ...paths)).toBeNull());
});
