import { describe, expect, it } from '@jest/globals';
import { manifestOf, rulesOf } from '../../../../test/support/sites/site-rules.js';
import { listNames } from '../responses/folder-names.js';
import { type Capabilities, resolve } from './resolve.js';
import { NO_RULES } from './site-rules.js';

const site = (...paths: string[]) => ({ manifest: manifestOf(paths), rules: NO_RULES });
const asked = (path: string) => ({ path, query: '', prefix: '/' });
const spa: Capabilities = { spa: true, listing: false };
const listing: Capabilities = { spa: false, listing: true };

describe('The fallback for single-page apps', () => {
  it.each(['any/page', 'any/page/', 'v1.2/page'])('shows index.html for the missing page %s', (path) => {
    expect(resolve(site('index.html', '404.html'), asked(path), spa)).toMatchObject({
      status: 200,
      file: { path: 'index.html' },
    });
  });

  it.each(['missing.js', 'assets/missing.css', '.env'])(
    'shows 404.html for the missing file %s, which is not a page',
    (path) => {
      expect(resolve(site('index.html', '404.html'), asked(path), spa)).toMatchObject({
        status: 404,
        file: { path: '404.html' },
      });
    },
  );

  it('does not affect existing files, or sites without index.html', () => {
    expect(resolve(site('index.html', 'about.html'), asked('about'), spa)).toMatchObject({
      file: { path: 'about.html' },
    });
    expect(resolve(site('other.html'), asked('page'), spa)).toEqual({ kind: 'nothing', status: 404 });
  });

  it('applies only if it is enabled', () => {
    expect(resolve(site('index.html'), asked('any/page'))).toEqual({ kind: 'nothing', status: 404 });
  });
});

describe('Folder listings', () => {
  const shelf = site(
    'b.txt',
    'a/one.txt',
    'a/deep/two.txt',
    'a/deep/three.txt',
    'c/index.html',
    '_headers',
    '_redirects',
  );

  it('contain the files of a folder, except those about the site itself', () => {
    expect(resolve(shelf, asked(''), listing)).toEqual({ kind: 'listing', path: '' });
    expect(listNames(shelf.manifest, '')).toEqual(['a/', 'b.txt', 'c/']);
    expect(resolve(shelf, asked('a/'), listing)).toEqual({ kind: 'listing', path: 'a/' });
    expect(listNames(shelf.manifest, 'a/')).toEqual(['deep/', 'one.txt']);
    expect(resolve(site('_headers', '_redirects'), asked(''), listing)).toEqual({ kind: 'nothing', status: 404 });
  });

  it('are not shown for a folder with an index, or for a missing folder', () => {
    expect(resolve(shelf, asked('c/'), listing)).toMatchObject({ file: { path: 'c/index.html' } });
    expect(resolve(shelf, asked('d/'), listing)).toEqual({ kind: 'nothing', status: 404 });
    expect(resolve(shelf, asked('b'), listing)).toEqual({ kind: 'nothing', status: 404 });
  });

  it('are shown only if they are enabled', () => {
    expect(resolve(shelf, asked('a/'))).toEqual({ kind: 'nothing', status: 404 });
  });
});

describe('Redirects', () => {
  it('take precedence over the fallbacks for missing pages', async () => {
    const { rules } = await rulesOf('/page /elsewhere');
    const both = { manifest: manifestOf(['index.html']), rules };
    expect(resolve(both, asked('page'), { spa: true, listing: true })).toMatchObject({ location: '/elsewhere' });
  });

  it('are skipped up to seven times if they lead back to the requested URL', async () => {
    const back = '/* /:splat\n';
    for (const [lines, location] of [
      [7, '/there'],
      [8, undefined],
    ] as const) {
      const { rules } = await rulesOf(`${back.repeat(lines)}/a /there`);
      const answer = resolve({ manifest: manifestOf([]), rules }, asked('a'));
      expect('location' in answer ? answer.location : undefined).toBe(location);
    }
  });

  it('never show the files about the site itself', async () => {
    const { rules } = await rulesOf('/a /_headers 200\n/b/* /:splat 200!');
    for (const path of ['a', 'b/_redirects', 'b//_headers'])
      expect(resolve({ manifest: manifestOf(['_headers', '_redirects']), rules }, asked(path))).toEqual({
        kind: 'nothing',
        status: 404,
      });
  });
});
