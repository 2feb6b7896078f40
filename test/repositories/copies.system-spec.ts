// needs: database, git

import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GitRepositories } from '../../src/adapters/git/git-repositories.js';
import { GitHost } from '../support/sites/git-host.js';

const ever = new AbortController().signal;
const nowhere = async () => [];

describe('Copying a repository', () => {
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

  it('the copy lists its files with their sizes, and each file can be read', async () => {
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

  it('a repository is downloaded from the IP address that the service itself looked up for the host', async () => {
    host.commit('named', { 'index.html': 'x' });
    const listed = new Set([`git.test:${host.port}`]);
    const named = new GitRepositories(folder, listed, async () => ['127.0.0.1']);
    await named.start();
    const copy = await named.copy({ url: `http://git.test:${host.port}/named.git`, ref: null }, ever);
    expect((await copy.entries(10)).map(({ path }) => path)).toEqual(['index.html']);
    await copy.close();
  });

  it('a repository is refused if its host first resolves to a public address, but later to an internal one', async () => {
    const answers = [['93.184.216.34'], ['127.0.0.1']];
    const rebound = new GitRepositories(folder, new Set(), async () => answers.shift() ?? []);
    await rebound.start();
    const before = host.requests.length;
    const copying = rebound.copy({ url: `https://rebind.test:${host.port}/plain.git`, ref: null }, ever);
    await expect(copying).rejects.toMatchObject({ code: 'repo_not_allowed' });
    expect(host.requests.length).toBe(before);
    expect(await readdir(folder)).toEqual([]);
  });

  it('the copy contains the requested branch, tag or commit', async () => {
    const main = host.commit('refs', { 'index.html': 'main' });
    const draft = host.commit('refs', { 'index.html': 'draft' }, 'draft');
    for (const [ref, commit] of [
      ['main', main],
      ['draft', draft],
      [draft, draft],
    ] as const) {
      const copy = await repositories.copy({ url: host.url('refs'), ref }, ever);
      expect([copy.ref, copy.commit]).toEqual([ref, commit]);
      await copy.close();
    }
  });

  it('a repository without commits is refused', async () => {
    host.commit('empty', {}, 'elsewhere');
    const copying = repositories.copy({ url: host.url('empty'), ref: null }, ever);
    await expect(copying).rejects.toMatchObject({ code: 'repo_unreachable' });
  });

  it('an old copy that was left by a killed process is removed at the next start', async () => {
    await mkdir(join(folder, 'copy-old'));
    await mkdir(join(folder, 'copy-new'));
    const yesterday = new Date(Date.now() - 86_400_000);
    await utimes(join(folder, 'copy-old'), yesterday, yesterday);
    await repositories.start();
    expect(await readdir(folder)).toEqual(['copy-new']);
    await rm(join(folder, 'copy-new'), { recursive: true });
  });
});
