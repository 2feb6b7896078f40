import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { buildArchive, writeTar } from './archive.js';
import { isArchiveBetter } from './archive-choice.js';
import { HashCache } from './hash-cache.js';
import { hashFiles } from './hash-files.js';
import { walkFolder } from './walk-folder.js';

let folder: string;
const inFolder = (path: string) => join(folder, 'site', path);

async function write(path: string, content = path) {
  await mkdir(dirname(inFolder(path)), { recursive: true });
  await writeFile(inFolder(path), content);
}

const walk = () => walkFolder(join(folder, 'site'));
const hashAll = async (cache?: HashCache) => hashFiles((await walk()).files, cache ? { cache } : {});
const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stele-client-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('walkFolder', () => {
  it('sorts paths by their UTF-8 bytes, including paths that are not ASCII', async () => {
    for (const path of ['b.txt', 'a/é.txt', 'a.txt', 'a/日本.html', 'a/b/c d.txt', 'a/\u{1F600}.txt', 'a/\uFF5E.txt'])
      await write(path);
    const { files } = await walk();
    expect(files.map(({ path }) => path)).toEqual([
      ...['a.txt', 'a/b/c d.txt', 'a/é.txt', 'a/日本.html', 'a/\uFF5E.txt', 'a/\u{1F600}.txt', 'b.txt'],
    ]);
  });

  it('leaves out files that the service would refuse, and reports the reasons', async () => {
    for (const path of ['index.html', '.env.local', 'node_modules/a.js', 'b/.git/config', '.DS_Store', 'stele.json'])
      await write(path);
    const { files, leftOut } = await walk();
    expect(files.map(({ path }) => path)).toEqual(['index.html']);
    expect(leftOut).toEqual([
      { path: '.DS_Store', isFolder: false, reason: 'system' },
      { path: '.env.local', isFolder: false, reason: 'blocked' },
      { path: 'b/.git', isFolder: true, reason: 'blocked' },
      { path: 'node_modules', isFolder: true, reason: 'blocked' },
      { path: 'stele.json', isFolder: false, reason: 'own' },
    ]);
  });

  it('applies .steleignore, but not .gitignore', async () => {
    for (const path of ['index.html', 'dist/a.js', 'drafts/a.html', 'drafts/keep.html', 'a.map']) await write(path);
    await write('.gitignore', 'dist\n');
    await write('.steleignore', '*.map\ndrafts/*\n!drafts/keep.html\n');
    const { files } = await walk();
    expect(files.map(({ path }) => path)).toEqual(['.gitignore', 'dist/a.js', 'drafts/keep.html', 'index.html']);
  });

  it('follows a link only if it leads to a file in the folder that may be published', async () => {
    await write('index.html');
    await write('.env', 'SECRET=1');
    await writeFile(join(folder, 'outside.txt'), 'secret');
    await symlink('index.html', inFolder('copy.html'));
    await symlink('../outside.txt', inFolder('outside.txt'));
    await symlink('.env', inFolder('env.txt'));
    await symlink('.', inFolder('loop'));
    await symlink('missing', inFolder('broken'));
    const { files, leftOut } = await walk();
    expect(files.map(({ path }) => path)).toEqual(['copy.html', 'index.html']);
    expect(leftOut.filter(({ reason }) => reason === 'link').map(({ path }) => path)).toEqual([
      ...['broken', 'env.txt', 'loop', 'outside.txt'],
    ]);
  });

  it('leaves out pipes', async () => {
    await write('index.html');
    execFileSync('mkfifo', [inFolder('pipe')]);
    expect((await walk()).leftOut).toEqual([{ path: 'pipe', isFolder: false, reason: 'special' }]);
  });

  it('leaves out a file and a folder whose names are not valid UTF-8', async () => {
    await write('index.html');
    const named = (text: string) => Buffer.concat([Buffer.from(inFolder(text)), Buffer.from([0xff])]);
    await writeFile(named('file'), 'content');
    await mkdir(named('folder'));
    const { files, leftOut } = await walk();
    expect(files.map(({ path }) => path)).toEqual(['index.html']);
    expect(leftOut).toEqual([
      { path: 'file\ufffd', isFolder: false, reason: 'encoding' },
      { path: 'folder\ufffd', isFolder: true, reason: 'encoding' },
    ]);
  });
});

describe('hashFiles', () => {
  it('computes the digest of each file', async () => {
    await write('a.txt', 'hello');
    await write('empty.txt', '');
    expect(await hashAll()).toMatchObject([
      { path: 'a.txt', size: 5, sha256: sha256('hello') },
      { path: 'empty.txt', size: 0, sha256: sha256('') },
    ]);
  });

  it('computes correct digests on several cores', async () => {
    const content = 'x'.repeat(40 * 1024 * 1024);
    await write('a.bin', content);
    await write('b.bin', `${content}y`);
    expect((await hashAll()).map((file) => file.sha256)).toEqual([sha256(content), sha256(`${content}y`)]);
  });

  it('does not read an unchanged file again', async () => {
    await write('a.txt', 'hello');
    const cacheFolder = join(folder, 'cache');
    const { files } = await walk();
    const [file] = files;
    if (!file) throw new Error('There is no file.');
    // The cache contains a wrong digest, so a result with this digest shows that the content was not read.
    const stats = Object.assign(Object.create(file.stats), { mtimeNs: 1n, ctimeNs: 1n });
    const cache = await HashCache.open(cacheFolder, folder);
    cache.remember('a.txt', stats, 'f'.repeat(64));
    await cache.save();
    const opened = await HashCache.open(cacheFolder, folder);
    expect(await hashFiles([{ ...file, stats }], { cache: opened })).toMatchObject([{ sha256: 'f'.repeat(64) }]);
    expect(await hashFiles([file], { cache: opened })).toMatchObject([{ sha256: sha256('hello') }]);
  });

  it('does not cache the digest of a file that has just changed', async () => {
    await write('a.txt', 'hello');
    await hashAll(await HashCache.open(join(folder, 'cache'), folder));
    const [name = ''] = await readdir(join(folder, 'cache/hashes'));
    expect(JSON.parse(await readFile(join(folder, 'cache/hashes', name), 'utf8'))).toEqual({ version: 1, files: {} });
  });

  it('treats a damaged cache as empty', async () => {
    await write('a.txt', 'hello');
    const cacheFolder = join(folder, 'cache');
    await (await HashCache.open(cacheFolder, folder)).save();
    const [name = ''] = await readdir(join(cacheFolder, 'hashes'));
    await writeFile(join(cacheFolder, 'hashes', name), '{"version":1,"fi');
    expect(await hashAll(await HashCache.open(cacheFolder, folder))).toMatchObject([{ sha256: sha256('hello') }]);
  });

  it('reports a file that disappeared', async () => {
    await write('a.txt');
    const { files } = await walk();
    await rm(inFolder('a.txt'));
    await expect(hashFiles(files)).rejects.toThrow('a.txt changed while it was being deployed');
  });
});

describe('buildArchive', () => {
  it('an archive can be read by tar, including long names and names that are not ASCII', async () => {
    const paths = ['index.html', 'é/日本 語.txt', `${'long/'.repeat(25)}name.txt`, 'empty'];
    for (const path of paths) await write(path, path === 'empty' ? '' : path.repeat(100));
    const archive = await buildArchive(await hashAll(), 1_000_000);
    await writeFile(join(folder, 'a.tgz'), archive ?? '');
    await mkdir(join(folder, 'out'));
    execFileSync('tar', ['xzf', join(folder, 'a.tgz'), '-C', join(folder, 'out')]);
    for (const path of paths)
      expect(await readFile(join(folder, 'out', path), 'utf8')).toBe(await readFile(inFolder(path), 'utf8'));
  });

  it('gives up when the archive exceeds the size limit', async () => {
    await write('a.bin', createHash('sha256').update('a').digest('hex').repeat(1000));
    expect(await buildArchive(await hashAll(), 100)).toBeNull();
  });

  it.each([
    ['other content of the same size', 'HELLO'],
    ['more content', 'hello!'],
    ['less content', 'hell'],
  ])('refuses a file that changed after it was hashed and now has %s', async (_, content) => {
    await write('a.txt', 'hello');
    const files = await hashAll();
    await write('a.txt', content);
    await expect(buildArchive(files, 1_000_000)).rejects.toThrow('a.txt changed while it was being deployed');
  });

  it.each([
    ['removed', async (path: string) => rm(path, { recursive: true })],
    [
      'replaced by a folder',
      async (path: string) => {
        await rm(path, { recursive: true });
        await mkdir(path);
      },
    ],
  ])('refuses a file that was %s after it was hashed', async (_, change) => {
    await write('part/a.txt');
    await write('b.txt');
    const files = await hashAll();
    await change(inFolder('part/a.txt'));
    await expect(buildArchive(files, 1_000_000)).rejects.toThrow('part/a.txt changed while it was being deployed');
  });

  it('refuses a file whose folder was replaced by a file', async () => {
    await write('part/a.txt');
    const files = await hashAll();
    await rm(inFolder('part'), { recursive: true });
    await write('part');
    await expect(buildArchive(files, 1_000_000)).rejects.toThrow('part/a.txt changed while it was being deployed');
  });

  it('an archive has the same bytes for the same files, whatever their modification times', async () => {
    await write('a.txt');
    const files = await hashAll();
    const collect = async () => gunzipSync((await buildArchive(files, 1_000_000)) ?? '');
    const first = await collect();
    await utimes(inFolder('a.txt'), new Date(0), new Date(0));
    expect((await collect()).equals(first)).toBe(true);
    expect((await lstat(inFolder('a.txt'))).mtimeMs).toBe(0);
    expect((await Array.fromAsync(writeTar(files))).length).toBeGreaterThan(0);
  });
});

describe('isArchiveBetter', () => {
  const file = (path: string, size: number) => ({ path, location: path, size, sha256: sha256(path) });
  const folderOf = (...files: ReturnType<typeof file>[]) => ({
    files,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
  });

  it('prefers an archive if the service lacks most of the content', () => {
    const all = folderOf(file('a', 100), file('b', 100), file('c', 100));
    expect(isArchiveBetter({ ...all, missing: all.files })).toBe(true);
    expect(isArchiveBetter({ ...all, missing: all.files.slice(1) })).toBe(true);
    expect(isArchiveBetter({ ...all, missing: all.files.slice(2) })).toBe(false);
  });

  it('prefers separate uploads if a file is too large for one request', () => {
    const all = folderOf(file('a', 100), file('b', 100 * 1024 * 1024));
    expect(isArchiveBetter({ ...all, missing: all.files })).toBe(false);
  });

  it('prefers separate uploads for a single folder, whose name the service would strip from an archive', () => {
    const all = folderOf(file('docs/index.html', 100), file('docs/a.html', 100));
    expect(isArchiveBetter({ ...all, missing: all.files })).toBe(false);
  });
});
