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
  ])('accepts %s', (path) => expect(seems(path)).toBe(true));

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
  ])('rejects %s, which %s', (path) => expect(seems(path)).toBe(false));
});
