import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { traitsOf, uncompressedPath } from './file-traits.js';

describe('traitsOf', () => {
  const script = Buffer.from('console.log("hello, hello, hello");\n'.repeat(400));

  it('detects the stored encoding from the content', () => {
    expect(traitsOf(gzipSync(script)).encoding).toBe('gzip');
    expect(traitsOf(brotliCompressSync(script)).encoding).toBe('br');
    expect(traitsOf(script).encoding).toBe(null);
    expect(traitsOf(Buffer.from('<!doctype html><p>hello')).encoding).toBe(null);
    expect(traitsOf(Buffer.alloc(0)).encoding).toBe(null);
    expect(traitsOf(Buffer.alloc(5_000)).encoding).toBe(null);
  });

  const shiftJis = Buffer.concat([Buffer.from('<meta charset=shift_jis><p>'), Buffer.from([0x93, 0xfa, 0x96, 0x7b])]);
  it.each([
    ['UTF-8', Buffer.from('<p>é'), 'utf-8'],
    ['an empty file', Buffer.alloc(0), 'utf-8'],
    ['truncated UTF-8', Buffer.from('<p>é').subarray(0, 4), 'utf-8'],
    ['Shift_JIS with a declaration', shiftJis, 'shift_jis'],
    [
      'Windows-1252 with an http-equiv declaration',
      Buffer.from('<meta http-equiv=content-type content="text/html; charset=iso-8859-1">\xe4 ', 'latin1'),
      'windows-1252',
    ],
    ['UTF-8 with a wrong declaration', Buffer.from('<meta charset=shift_jis>é'), 'utf-8'],
    ['Latin-1 without a declaration', Buffer.from('<p>\xe4 is a letter', 'latin1'), null],
    [
      'a style sheet with @charset',
      Buffer.from('@charset "iso-8859-2";\na:before { content: "\xe1 " }', 'latin1'),
      'iso-8859-2',
    ],
    ['ISO-2022-JP', Buffer.from('<meta charset="iso-2022-jp">\x1b$B'), 'iso-2022-jp'],
    ['a page that declares an unknown charset', Buffer.from('<meta charset=nonsense>\xe4 ', 'latin1'), null],
  ])('detects the charset of %s', (_, bytes, charset) => expect(traitsOf(bytes).charset).toBe(charset));
});

describe('uncompressedPath', () => {
  it.each([
    ['a.svgz', 'a.svg'],
    ['g.js.gz', 'g.js'],
    ['g.wasm.br', 'g.wasm'],
    ['b/g.data.unityweb', 'b/g.data'],
    ['g.symbols.json.gz', 'g.symbols.json'],
    ['a.css.br', 'a.css'],
    ['archive.tar.gz', null],
    ['rows.csv.gz', null],
    ['sitemap.xml.gz', null],
    ['data.json.gz', null],
    ['a.js', null],
  ])('the uncompressed path of %s is %s', (path, expected) => expect(uncompressedPath(path)).toBe(expected));
});
