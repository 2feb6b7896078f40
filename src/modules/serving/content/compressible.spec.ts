import { describe, expect, it } from '@jest/globals';
import { contentType } from '../../../edge/http/api/content-type.js';
import { isCompressible } from './compressible.js';

describe('isCompressible', () => {
  const offered = (path: string, size = 10_000) => isCompressible(contentType(path), size);

  it.each([
    'a.html',
    'a.css',
    'a.js',
    'a.mjs',
    'a.json',
    'a.svg',
    'a.xml',
    'a.txt',
    'a.wasm',
    'a.webmanifest',
    'a.ttf',
    'a.ico',
    'a.map',
    'feed.rss',
    'a.geojson',
  ])('accepts %s', (path) => expect(offered(path)).toBe(true));
  it.each(['a.png', 'a.jpg', 'a.webp', 'a.woff2', 'a.woff', 'a.mp4', 'a.zip', 'a.gz', 'a.pdf', 'a', 'a.unknown'])(
    'rejects %s, because it is already compressed or of an unknown type',
    (path) => expect(offered(path)).toBe(false),
  );
  it('rejects content that is too small to benefit from compression or too large for memory', () => {
    expect([offered('a.js', 1_023), offered('a.js', 1_024)]).toEqual([false, true]);
    expect([offered('a.js', 8_388_608), offered('a.js', 8_388_609)]).toEqual([true, false]);
  });
});
