import { lstat, mkdtemp, readFile, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RepoEntry } from '../../kernel/ports/repositories.js';
import { writeWorkTree } from './work-tree.js';

type Given = { readonly text: string; readonly kind?: RepoEntry['kind']; readonly isExecutable?: boolean };

describe('The work tree of a commit', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stele-tree-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const write = (files: Record<string, Given>, atMost = 1_000) => {
    const entries = Object.entries(files).map(
      ([path, { text, kind = 'file', isExecutable = false }]): RepoEntry => ({
        path,
        kind,
        oid: path,
        size: text.length,
        isExecutable,
      }),
    );
    const content = async function* ({ oid }: RepoEntry) {
      yield Buffer.from(files[oid]?.text ?? '');
    };
    return writeWorkTree(folder, entries, content, atMost);
  };
  const link = (text: string): Given => ({ text, kind: 'link' });

  it('has its files, and their right to be run', async () => {
    expect(await write({ 'a/b/c.txt': { text: 'c' }, 'run.sh': { text: '#!', isExecutable: true } })).toEqual([]);
    expect(await readFile(join(folder, 'a/b/c.txt'), 'utf8')).toBe('c');
    expect((await stat(join(folder, 'run.sh'))).mode & 0o777).toBe(0o755);
    expect((await stat(join(folder, 'a/b/c.txt'))).mode & 0o111).toBe(0);
  });

  it('has the links that stay inside it', async () => {
    await write({ 'packages/a/index.js': { text: '' }, 'node_modules/a': link('../packages/a') });
    expect(await readlink(join(folder, 'node_modules/a'))).toBe('../packages/a');
  });

  it.each(['/etc/passwd', '../outside', '../../etc', '..', 'a/../../b', '', '.git/config'])(
    'has no link to %j',
    async (target) => {
      const leftOut = await write({ link: link(target), other: { text: 'x' } });
      expect(leftOut).toEqual([{ path: 'link', why: expect.stringContaining('outside the repository') }]);
      await expect(lstat(join(folder, 'link'))).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );

  it.each(['../up', 'a/../b', '/abs', 'a//b', './a', '.git/hooks/pre-commit', 'sub/.GIT/config'])(
    'has nothing at the path %j',
    async (path) => expect(await write({ [path]: { text: 'x' } })).toEqual([{ path, why: expect.any(String) }]),
  );

  it('writes no file through a link', async () => {
    await expect(write({ 'a/file': { text: 'x' }, a: link('b') })).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it.each([
    ['a submodule', { text: '', kind: 'submodule' }],
    ['what is kept in Git LFS', { text: 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' }],
  ] satisfies [string, Given][])('is refused for %s, which is not fetched', (_, given) =>
    expect(write({ 'vendor/it': given })).rejects.toMatchObject({
      code: 'plan_not_detected',
      detail: expect.stringContaining('vendor/it'),
    }),
  );

  it('is refused where it is larger than its room', async () =>
    expect(write({ a: { text: 'x'.repeat(600) }, b: { text: 'x'.repeat(600) } })).rejects.toMatchObject({
      code: 'too_large',
    }));
});
