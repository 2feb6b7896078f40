import { describe, expect, it } from '@jest/globals';
import { manifestOf } from '../../../test/support/site-rules.js';
import { folderPage } from './folder-page.js';

const page = (path: string, names: readonly string[], paths: readonly string[] = names.map((name) => path + name)) =>
  folderPage({ slug: 'amber-otter', path, names }, manifestOf(paths.filter((each) => !each.endsWith('/'))));

/** Texts and addresses of its links, in their order. */
const links = (text: string) =>
  [...text.matchAll(/<tr><td><a[^>]* ?href="([^"]*)">(?:<bdi>)?(.*?)(?:<\/bdi>)?<\/a>/g)].map(([, href, name]) => [
    name,
    href,
  ]);

describe('The page of a folder', () => {
  it('has folders first, then files, sorted as people sort', () =>
    expect(links(page('', ['10.txt', '2.txt', 'B.txt', 'a.txt', 'z/'])).map(([name]) => name)).toEqual([
      'z/',
      '2.txt',
      '10.txt',
      'a.txt',
      'B.txt',
    ]));

  it('leads to the folder above, but from the top', () => {
    expect(links(page('a/b/', ['x']))[0]).toEqual(['..', '../']);
    expect(links(page('', ['x']))[0]).toEqual(['x', './x']);
    expect(page('a/b/', ['x'])).toContain('<a href="../../"><bdi>amber-otter</bdi></a>');
  });

  it.each([
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;', './%3Cscript%3Ealert(1)%3C%2Fscript%3E'],
    ['" onclick="x', '&quot; onclick=&quot;x', './%22%20onclick%3D%22x'],
    ['javascript:alert(1)', 'javascript:alert(1)', './javascript%3Aalert(1)'],
    ['&lt;', '&amp;lt;', './%26lt%3B'],
    ['?a#b%20', '?a#b%20', './%3Fa%23b%2520'],
    ["it's", 'it&#39;s', './it&#39;s'],
  ])('shows %j as it is called, and leads to it', (name, text, href) => {
    expect(links(page('', [name]))).toEqual([[text, href]]);
  });

  it('escapes the names of folders around it', () => {
    const text = page('<b>/"x/', ['y']);
    expect(text).not.toContain('<b>');
    expect(text).toContain('<title>amber-otter/&lt;b&gt;/&quot;x/</title>');
  });

  it('tells sizes in units of a thousand, and to the byte for who asks', () => {
    const sized = (size: number) =>
      folderPage(
        { slug: 's', path: '', names: ['a'] },
        {
          ...manifestOf([]),
          files: new Map([['a', { path: 'a', sha256: '', size }]]),
        },
      );
    for (const [size, text] of [
      [0, '0 bytes'],
      [1, '1 byte'],
      [999, '999 bytes'],
      [1_000, '1.0 KB'],
      [9_940, '9.9 KB'],
      [12_345, '12 KB'],
      [5_000_000, '5.0 MB'],
      [7_000_000_000_000, '7000 GB'],
    ] as const)
      expect(sized(size)).toContain(`<td title="${size} bytes">${text}</td>`);
  });

  it('has no script and loads nothing', () => expect(page('', ['a'])).not.toMatch(/<script|<link|src=|@import|url\(/));
});
