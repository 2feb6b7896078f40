import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { contentType } from '../../../edge/http/api/content-type.js';
import { seemsNamedByContent } from './immutable-names.js';

describe('seemsNamedByContent', () => {
  const seems = (path: string) => seemsNamedByContent(path, contentType(path));

  it.each([
    'assets/index-4f9a8c21.js',
    'index.4f9a8c21.css',
    '4f9a8c21.mjs',
    'a/b/font-BhT3x9Qz.woff2',
    'logo.0123456789abcdef.svg',
    'logo-4f9a8c21.png',
    'engine_4f9a8c21.wasm',
    'assets/index-DiwrgTda.css',
    'main-TKFUKZQG.js',
    'main-DMcx_nWD.js',
    'main.4b51ce30.chunk.js',
    'main.min.5a1d3f6b2c4e8097a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718.css',
    'app-0123456789abcdef0123456789abcdef.css',
    'photo_hu_0123456789abcdef.jpg',
    'penguin.D8rMT3F7_Z1abc2D.webp',
    '_next/static/chunks/181tqqgl_9zyq.js',
    'c9a5bc6a7c948fb0-s.p.woff2',
    'base.27e20196a850.css',
  ])('accepts %s as a file name that contains a content hash', (path) => expect(seems(path)).toBe(true));

  it.each([
    ['index.js', 'has no token'],
    ['bootstrap.css', 'has no digit'],
    ['photo-20261120.jpg', 'has no letter'],
    ['app-4f9a8c2.js', 'has a token that is too short'],
    ['app-4f9a_8c21.js', 'has a token in two parts'],
    ['4f9a8c21/app.js', 'has its token in the folder name'],
    ['page-4f9a8c21.html', 'is a page'],
    ['data-4f9a8c21.json', 'is a data file'],
    ['app-4f9a8c21.js.map', 'is a source map'],
    ['app.4f9a8c21', 'has its token in the extension'],
    ['4f9a8c21', 'has no extension'],
    ['screenshot1.png', 'ends with a number'],
    ['background2.css', 'ends with a number'],
    ['config2prod.js', 'contains a number between words'],
    ['hero-1920x1080.jpg', 'contains dimensions'],
    ['logo2024new.svg', 'contains a year'],
    ['IMG20240101.jpg', 'contains a date'],
    ['photo-cafe2024.jpg', 'contains a word of hexadecimal letters and a year'],
    ['hero-Mountain.jpg', 'contains a word of eight letters'],
    ['logo-PORTRAIT.png', 'contains a capitalized word'],
    ['550e8400-e29b-41d4-a716-446655440000.jpg', 'is a UUID'],
    ['photo-1518770660439-4636190af475.jpg', 'contains a photo ID'],
  ])('rejects %s as a file name with a content hash because it %s', (path) => expect(seems(path)).toBe(false));

  const list = (name: string) =>
    readFileSync(new URL(`../../../../test/support/sites/names/${name}`, import.meta.url), 'utf8')
      .trim()
      .split('\n');

  it('recognizes none of 10,000 ordinary file names as hashed', () => {
    const names = list('ordinary.txt');
    expect(names).toHaveLength(10_000);
    expect(names.filter((name) => seemsNamedByContent(name, 'image/png'))).toEqual([]);
  });

  it('recognizes at least 95 % of the hashed file names from build tools, and 90 % for each tool', () => {
    const tools = new Map<string, { all: number; found: number }>();
    for (const line of list('hashed.tsv')) {
      const [tool = '', name = ''] = line.split('\t');
      const sum = tools.get(tool) ?? { all: 0, found: 0 };
      sum.all++;
      if (seemsNamedByContent(name, 'text/javascript')) sum.found++;
      tools.set(tool, sum);
    }
    const sums = [...tools.values()];
    const total = (key: 'all' | 'found') => sums.reduce((sum, each) => sum + each[key], 0);
    expect(total('all')).toBeGreaterThan(3_000);
    expect(total('found') / total('all')).toBeGreaterThanOrEqual(0.95);
    const poor = [...tools].filter(([, { all, found }]) => all >= 20 && found / all < 0.9);
    expect(poor).toEqual([]);
  });
});
