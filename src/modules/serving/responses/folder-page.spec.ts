import { describe, expect, it } from '@jest/globals';
import { manifestOf } from '../../../../test/support/sites/site-rules.js';
import { plural } from '../../../kernel/output/quantities.js';
import { folderPage } from './folder-page.js';

/** Renders a folder with these names. A name with a trailing slash is a folder that contains a file. */
const page = (path: string, names: readonly string[]) =>
  folderPage(
    { slug: 'amber-otter', path },
    manifestOf(names.map((name) => `${path}${name}${name.endsWith('/') ? 'x' : ''}`)),
  );

const links = (text: string) =>
  [...text.matchAll(/<tr><td><a[^>]* ?href="([^"]*)">(?:<bdi>)?(.*?)(?:<\/bdi>)?<\/a>/g)].map(([, href, name]) => [
    name,
    href,
  ]);

describe('folderPage', () => {
  it('lists folders before files, both in natural order', () =>
    expect(links(page('', ['10.txt', '2.txt', 'B.txt', 'a.txt', 'z/'])).map(([name]) => name)).toEqual([
      'z/',
      '2.txt',
      '10.txt',
      'a.txt',
      'B.txt',
    ]));

  it('links to the parent folder, except at the top', () => {
    expect(links(page('a/b/', ['x']))[0]).toEqual(['..', '../']);
    expect(links(page('', ['x']))[0]).toEqual(['x', './x']);
    expect(page('a/b/', ['x'])).toContain('<a href="../../"><bdi>amber-otter</bdi></a>');
  });

  it.each([
    ['<script>alert(1)', '&lt;script&gt;alert(1)', './%3Cscript%3Ealert(1)'],
    ['" onclick="x', '&quot; onclick=&quot;x', './%22%20onclick%3D%22x'],
    ['javascript:alert(1)', 'javascript:alert(1)', './javascript%3Aalert(1)'],
    ['&lt;', '&amp;lt;', './%26lt%3B'],
    ['?a#b%20', '?a#b%20', './%3Fa%23b%2520'],
    ["it's", 'it&#39;s', './it&#39;s'],
  ])('escapes the name %j in its text and its link', (name, text, href) => {
    expect(links(page('', [name]))).toEqual([[text, href]]);
  });

  it('escapes the names of parent folders', () => {
    const text = page('<b>/"x/', ['y']);
    expect(text).not.toContain('<b>');
    expect(text).toContain('<title>amber-otter/&lt;b&gt;/&quot;x/</title>');
  });

  it('shows sizes in multiples of a thousand, with the exact number of bytes in a tooltip', () => {
    const sized = (size: number) =>
      folderPage(
        { slug: 's', path: '' },
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
      expect(sized(size)).toContain(`<td title="${plural(size, 'byte')}">${text}</td>`);
  });

  it('lists at most two thousand names and counts the rest', () => {
    const many = Array.from({ length: 2_003 }, (_, n) => `${n}.txt`);
    const text = page('', [...many, 'folder/']);
    expect(links(text)).toHaveLength(2_000);
    expect(links(text)[0]).toEqual(['folder/', './folder/']);
    expect(text).toContain('<p>4 more entries are not listed.</p>');
    expect(page('', many.slice(0, 2_000))).not.toContain('not listed');
  });

  it('the page has no script and loads no other resources', () =>
    expect(page('', ['a'])).not.toMatch(/<script|<link|src=|@import|url\(/));
});
