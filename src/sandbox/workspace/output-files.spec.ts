import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isRoot } from '../isolated/owner.js';
import { outputContent, outputFiles } from './output-files.js';

describe('outputFiles', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'stele-output-'));
    await mkdir(join(root, 'dist/deep'), { recursive: true });
    await writeFile(join(root, 'dist/deep/page.html'), 'page');
    await writeFile(join(root, 'secret'), 'not published');
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const found = async (folder: string) =>
    (await outputFiles(root, folder))?.map(({ path, kind, size }) => `${path} ${kind} ${size}`).sort();

  it('every file below the output folder is listed by its path', async () =>
    expect(await found('dist')).toEqual(['deep/page.html file 4']));

  it('links and special files are marked as such, and no links are followed', async () => {
    await symlink('../secret', join(root, 'dist/link'));
    await symlink('.', join(root, 'dist/round'));
    execFileSync('mkfifo', [join(root, 'dist/pipe')]);
    await writeFile(Buffer.concat([Buffer.from(join(root, 'dist/')), Buffer.from([0xff])]), '');
    expect(await found('dist')).toEqual([
      'deep/page.html file 4',
      'link link 0',
      'null other 0',
      'pipe other 0',
      'round link 0',
    ]);
    for (const name of ['link', 'pipe', 'deep'])
      await expect(text(outputContent(join(root, 'dist', name)))).rejects.toThrow();
  });

  it('an unreadable file has the kind `other`', async () => {
    await writeFile(join(root, 'dist/closed.html'), 'x', { mode: 0o200 });
    await mkdir(join(root, 'dist/shut'), { mode: 0o300 });
    // The expected list is different for root, because root can read all files.
    const closed = isRoot() ? ['closed.html file 1'] : ['closed.html other 1', 'shut other 0'];
    expect(await found('dist')).toEqual([...closed, 'deep/page.html file 4'].sort());
  });

  it('the length of a sparse file is reported, not its allocated size', async () => {
    await writeFile(join(root, 'dist/sparse'), '');
    await truncate(join(root, 'dist/sparse'), 2 ** 40);
    expect(await found('dist')).toContain(`sparse file ${2 ** 40}`);
  });

  it('unusual file names are not changed', async () => {
    for (const name of ['..%2f..', 'a\nb', '-rf', '\u001b[31m', 'CON', '\ufeffx'])
      await writeFile(join(root, 'dist', name), '');
    expect((await found('dist'))?.length).toBe(7);
  });

  it.each(['none', 'secret', 'linked', 'linked/deep', '..', 'dist/..', '../x'])(
    'no files are listed for %s, because it is not a folder inside the work tree',
    async (folder) => {
      await symlink('dist', join(root, 'linked'));
      expect(await outputFiles(root, folder)).toBeNull();
    },
  );
});
