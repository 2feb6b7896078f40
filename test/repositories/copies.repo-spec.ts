import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GitRepositories } from '../../src/outside/git/git-repositories.js';
import { GitHost } from '../support/git-host.js';

const ever = new AbortController().signal;
const nowhere = async () => [];

describe('A copy of a repository', () => {
  let host: GitHost;
  let folder: string;
  let repositories: GitRepositories;

  beforeAll(async () => {
    host = await GitHost.open();
    folder = await mkdtemp(join(tmpdir(), 'stele-copies-'));
    repositories = new GitRepositories(folder, new Set([host.listed]), nowhere);
    await repositories.start();
  });
  afterAll(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('lists its files with their sizes, and reads each', async () => {
    const commit = host.commit('plain', {
      'index.html': '<h1>hi</h1>',
      'a/é.txt': 'x'.repeat(200_000),
      link: { link: '/etc/passwd' },
      sub: { submodule: '1'.repeat(40) },
    });
    const copy = await repositories.copy({ url: host.url('plain'), ref: null }, ever);
    expect([copy.commit, copy.ref]).toEqual([commit, 'main']);
    const entries = await copy.entries(10);
    expect(entries.map(({ path, kind, size }) => [path, kind, size])).toEqual([
      ['a/é.txt', 'file', 200_000],
      ['index.html', 'file', 11],
      ['link', 'link', 11],
      ['sub', 'submodule', 0],
    ]);
    expect(await text(Readable.from(copy.content(entries[1]!)))).toBe('<h1>hi</h1>');
    expect(await text(Readable.from(copy.content(entries[0]!)))).toBe('x'.repeat(200_000));
    await copy.close();
    expect(await readdir(folder)).toEqual([]);
  });
});
