import { describe, expect, it } from '@jest/globals';
import { manifestOf, rulesOf } from '../../../../test/support/sites/site-rules.js';
import { namesIn } from '../answers/folder-names.js';
import { type Capabilities, resolve } from './resolve.js';
import { NO_RULES } from './site-rules.js';

const site = (...paths: string[]) => ({ manifest: manifestOf(paths), rules: NO_RULES });
const asked = (path: string) => ({ path, query: '', prefix: '/' });
const spa: Capabilities = { spa: true, listing: false };
const listing: Capabilities = { spa: false, listing: true };

describe('A site of one page', () => {
  it.each(['any/page', 'any/page/', 'v1.2/page'])('shows it for %s, which is not there', (path) => {
    expect(resolve(site('index.html', '404.html'), asked(path), spa)).toMatchObject({
      status: 200,
      file: { path: 'index.html' },
    });
  });

  it.each(['missing.js', 'assets/missing.css', '.env'])('does not for %s, which is no page', (path) => {
    expect(resolve(site('index.html', '404.html'), asked(path), spa)).toMatchObject({
      status: 404,
      file: { path: '404.html' },
    });
  });

  it('still shows the files that it has, and cannot show a page that it has not', () => {
    expect(resolve(site('index.html', 'about.html'), asked('about'), spa)).toMatchObject({
      file: { path: 'about.html' },
    });
    expect(resolve(site('other.html'), asked('page'), spa)).toEqual({ kind: 'nothing', status: 404 });
  });

  it('is only that when it is switched on', () => {
    expect(resolve(site('index.html'), asked('any/page'))).toEqual({ kind: 'nothing', status: 404 });
  });
});

describe('A site whose folders are listed', () => {
  const shelf = site(
    'b.txt',
    'a/one.txt',
    'a/deep/two.txt',
    'a/deep/three.txt',
    'c/index.html',
    '_headers',
    '_redirects',
  );

  it('lists what is in a folder, not what is about the site', () => {
    expect(resolve(shelf, asked(''), listing)).toEqual({ kind: 'listing', path: '' });
    expect(namesIn(shelf.manifest, '')).toEqual(['a/', 'b.txt', 'c/']);
    expect(resolve(shelf, asked('a/'), listing)).toEqual({ kind: 'listing', path: 'a/' });
    expect(namesIn(shelf.manifest, 'a/')).toEqual(['deep/', 'one.txt']);
    expect(resolve(site('_headers', '_redirects'), asked(''), listing)).toEqual({ kind: 'nothing', status: 404 });
  });

  it('shows the index of a folder that has one, and nothing for a folder that is not there', () => {
    expect(resolve(shelf, asked('c/'), listing)).toMatchObject({ file: { path: 'c/index.html' } });
    expect(resolve(shelf, asked('d/'), listing)).toEqual({ kind: 'nothing', status: 404 });
    expect(resolve(shelf, asked('b'), listing)).toEqual({ kind: 'nothing', status: 404 });
  });

  it('does so only when it is switched on', () => {
    expect(resolve(shelf, asked('a/'))).toEqual({ kind: 'nothing', status: 404 });
  });
});

describe('Redirects', () => {
  it('go before what a site can do beside its files', async () => {
    const { rules } = await rulesOf('/page /elsewhere');
    const both = { manifest: manifestOf(['index.html']), rules };
    expect(resolve(both, asked('page'), { spa: true, listing: true })).toMatchObject({ location: '/elsewhere' });
  });

  it('that lead back are passed over, a few of them', async () => {
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

  it('never show the files that are about the site', async () => {
    const { rules } = await rulesOf('/a /_headers 200\n/b/* /:splat 200!');
    for (const path of ['a', 'b/_redirects', 'b//_headers'])
      expect(resolve({ manifest: manifestOf(['_headers', '_redirects']), rules }, asked(path))).toEqual({
        kind: 'nothing',
        status: 404,
      });
  });
});
