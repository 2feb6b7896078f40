import { describe, expect, it } from '@jest/globals';
import { rulesOf } from '../../../../test/support/sites/site-rules.js';
import { chooseHeaders, type ShownFile } from './site-rules.js';

async function chosen(headers: string, path: string, shown: ShownFile | null = null) {
  const { rules } = await rulesOf('', headers);
  return Object.fromEntries(chooseHeaders(rules, path, shown).set);
}

describe('A single-valued header', () => {
  it.each([
    ['Access-Control-Allow-Origin: *', 'Access-Control-Allow-Origin: *', 'access-control-allow-origin', '*'],
    [
      'Cache-Control: no-store',
      'Cache-Control: public, max-age=9, immutable',
      'cache-control',
      'public, max-age=9, immutable',
    ],
    ['Content-Type: text/html', 'Content-Type: application/rss+xml', 'content-type', 'application/rss+xml'],
  ])('a single-valued header is sent once if two rules set it: %s, then %s', async (general, specific, name, value) => {
    for (const text of [`/*\n ${general}\n/a/*\n ${specific}`, `/a/*\n ${specific}\n/*\n ${general}`]) {
      expect(await chosen(text, 'a/b')).toEqual({ [name]: value });
      const { warnings } = await rulesOf('', text);
      expect(warnings).toEqual([
        {
          file: '_headers',
          line: 4,
          message: expect.stringContaining(`Line 2 sets ${name} for some of the same paths`),
        },
      ]);
    }
  });

  it('a single-valued header gets the later value if neither rule is more specific', async () => {
    expect(await chosen('/*\n X-Frame-Options: DENY\n/*\n X-Frame-Options: SAMEORIGIN', 'a')).toEqual({
      'x-frame-options': 'SAMEORIGIN',
    });
    expect(await chosen('/a\n Content-Type: text/html\n Content-Type: text/plain', 'a')).toEqual({
      'content-type': 'text/plain',
    });
  });

  it('directives on several lines of one rule are joined without a warning', async () => {
    const text = '/*\n Cache-Control: no-cache\n Cache-Control: no-store';
    expect(await chosen(text, 'a')).toEqual({ 'cache-control': 'no-cache, no-store' });
    expect((await rulesOf('', text)).warnings).toEqual([]);
  });

  it('no warning is given for rules for different paths, or for headers that can have several values', async () => {
    const text = '/a\n Cache-Control: no-cache\n/b/*\n Cache-Control: no-store\n/*\n Link: </x>\n/a\n Link: </y>';
    expect((await rulesOf('', text)).warnings).toEqual([]);
    expect(await chosen(text, 'a')).toEqual({ 'cache-control': 'no-cache', link: '</x>, </y>' });
  });
});

describe('Headers that describe content', () => {
  const rules = `/*
  X-A: 1
/*.wasm
  Content-Type: application/wasm
  Content-Disposition: attachment
  X-B: 2
/assets/*
  Cache-Control: public, max-age=31536000, immutable
/index.html
  Cache-Control: max-age=60
/feed
  Content-Type: application/rss+xml`;

  it('rules for the requested path don’t change an error page’s type and disposition', async () => {
    const shown = { path: '404.html', isElsewhere: true, isError: true };
    expect(await chosen(rules, 'missing.wasm', shown)).toEqual({ 'x-a': '1', 'x-b': '2' });
  });

  it('a rewrite uses the caching rules of the page that it shows', async () => {
    const shown = { path: 'index.html', isElsewhere: true, isError: false };
    expect(await chosen(rules, 'assets/old-chunk.js', shown)).toEqual({ 'x-a': '1', 'cache-control': 'max-age=60' });
  });

  it('a rule for exactly the requested path applies to a rewrite', async () => {
    const shown = { path: 'feed.xml', isElsewhere: true, isError: false };
    expect(await chosen(rules, 'feed', shown)).toEqual({ 'x-a': '1', 'content-type': 'application/rss+xml' });
  });

  it.each([
    ['', 'index.html'],
    ['about', 'about.html'],
    ['docs/', 'docs/index.html'],
  ])('caching headers for a file also apply at its address /%s, but other headers do not', async (path, file) => {
    const shown = { path: file, isElsewhere: false, isError: false };
    const own = `/${file}\n  Cache-Control: no-store\n  X-A: 1`;
    expect(await chosen(own, path, shown)).toEqual({ 'cache-control': 'no-store' });
    expect(await chosen('/*.html\n  Cache-Control: no-store', path, shown)).toEqual({ 'cache-control': 'no-store' });
    expect(await chosen(`/*\n  Cache-Control: no-cache\n${own}`, path, shown)).toEqual({ 'cache-control': 'no-store' });
    for (const both of [`/${path}\n  Cache-Control: max-age=9\n${own}`, `${own}\n/${path}\n  Cache-Control: max-age=9`])
      expect(await chosen(both, path, shown)).toEqual({ 'cache-control': 'max-age=9' });
  });

  it('a rule that matches the requested path is preferred to an equally specific rule for another address', async () => {
    const home = { path: 'index.html', isElsewhere: false, isError: false };
    const page = { path: 'blog/a.html', isElsewhere: false, isError: false };
    const pages = '/*.html\n  Cache-Control: max-age=9\n';
    for (const [path, shown, own] of [
      ['', home, '/\n  Cache-Control: no-cache\n'],
      ['blog/a', page, '/blog/*\n  Cache-Control: no-cache\n'],
    ] as const)
      for (const both of [pages + own, own + pages])
        expect(await chosen(both, path, shown)).toEqual({ 'cache-control': 'no-cache' });
  });

  it('a rule that sets a page’s disposition or type applies only at the address that the rule names', async () => {
    const shown = { path: 'index.html', isElsewhere: false, isError: false };
    const lines = '/index.html\n  Content-Disposition: attachment\n  Content-Type: text/plain\n  Expires: 0';
    expect(await chosen(lines, '', shown)).toEqual({ expires: '0' });
    expect(await chosen(lines, 'index.html', shown)).toMatchObject({ 'content-disposition': 'attachment' });
  });

  it('content-encoding can only be set to gzip or br', async () => {
    const { warnings } = await rulesOf(
      '',
      '/a\n Content-Encoding: gzip\n/b\n Content-Encoding: zip\n/c\n ! Content-Encoding',
    );
    expect(warnings.map(({ line, message }) => `${line} ${message}`)).toEqual([
      expect.stringContaining('4 Ignored: content-encoding must be gzip or br'),
      expect.stringContaining('6 Ignored: content-encoding can be set but not removed'),
    ]);
  });
});
