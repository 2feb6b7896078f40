import { lstat, mkdtemp, readFile, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RepoEntry } from '../../kernel/ports/outside/repositories.js';
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

  it('the work tree contains the files of the commit with their executable bits', async () => {
    expect(await write({ 'a/b/c.txt': { text: 'c' }, 'run.sh': { text: '#!', isExecutable: true } })).toEqual([]);
    expect(await readFile(join(folder, 'a/b/c.txt'), 'utf8')).toBe('c');
    expect((await stat(join(folder, 'run.sh'))).mode & 0o777).toBe(0o755);
    expect((await stat(join(folder, 'a/b/c.txt'))).mode & 0o111).toBe(0);
  });

  it('the work tree contains the files that the service adds', async () => {
    const own = new Map([['.git/refs/heads/main', Buffer.from('1234')]]);
    await writeWorkTree(folder, [], () => [] as never, 1_000, own);
    expect(await readFile(join(folder, '.git/refs/heads/main'), 'utf8')).toBe('1234');
  });

  it('the work tree contains links whose target is inside it', async () => {
    await write({ 'packages/a/index.js': { text: '' }, 'node_modules/a': link('../packages/a') });
    expect(await readlink(join(folder, 'node_modules/a'))).toBe('../packages/a');
  });

  it.each(['/etc/passwd', '../outside', '../../etc', '..', 'a/../../b', '', '.git/config', 'sub/.GIT', 'x\0y'])(
    'a link to %j is left out',
    async (target) => {
      const leftOut = await write({ link: link(target), other: { text: 'x' } });
      expect(leftOut).toEqual([{ path: 'link', why: expect.stringContaining('outside the repository') }]);
      await expect(lstat(join(folder, 'link'))).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );

  it.each(['../up', 'a/../b', '/abs', 'a//b', './a', '.git/hooks/pre-commit', 'sub/.GIT/config'])(
    'an entry with the path %j is left out',
    async (path) => expect(await write({ [path]: { text: 'x' } })).toEqual([{ path, why: expect.any(String) }]),
  );

  it('a file whose path leads through a link is refused', async () => {
    await expect(write({ 'a/file': { text: 'x' }, a: link('b') })).rejects.toMatchObject({ code: 'invalid_path' });
  });

  it.each([
    ['a file and a folder with the same name', { a: { text: 'x' }, 'a/b': { text: 'y' } }],
    ['a link and a folder with the same name', { a: link('c'), 'a/b': { text: 'y' } }],
  ] satisfies [string, Record<string, Given>][])('a commit that contains %s is refused', (_, files) =>
    expect(write(files)).rejects.toMatchObject({ code: 'invalid_path', detail: expect.stringMatching(/^a\b/) }),
  );

  it('names that differ only in case, or contain line breaks, backslashes or spaces, are allowed', async () => {
    const names = ['README', 'readme', 'line\nbreak', 'back\\slash', ' space ', '-rf', '--', '$(id)', 'ü', 'u\u0308'];
    expect(await write(Object.fromEntries(names.map((name) => [name, { text: name }])))).toEqual([]);
    for (const name of names) expect(await readFile(join(folder, name), 'utf8')).toBe(name);
  });

  it.each([
    ['a name', 'n'.repeat(256)],
    ['a name of multibyte letters', 'ü'.repeat(200)],
    ['a path', `${`${'d'.repeat(250)}/`.repeat(13)}f`],
    ['a path of many folders', `${'d/'.repeat(100)}f`],
    ['a path of 30,000 folders', `${'d/'.repeat(30_000)}f`],
  ])('%s that is too long is left out', async (_, path) =>
    expect(await write({ [path]: { text: 'x' }, other: { text: 'x' } })).toEqual([
      { path: expect.any(String), why: 'its path is too long' },
    ]),
  );

  it('folders can be nested a hundred levels deep', async () => {
    const path = `${'d/'.repeat(99)}f`;
    expect(await write({ [path]: { text: 'x' } })).toEqual([]);
    expect(await readFile(join(folder, path), 'utf8')).toBe('x');
  });

  it('a link that leads outside through another link is left out', async () => {
    const tree = { 'p/q/up': link('../..'), escape: link('p/q/up/..'), 'p/q/f': { text: '' }, fine: link('p/q/up/p') };
    expect(await write(tree)).toEqual([{ path: 'escape', why: expect.stringContaining('outside the repository') }]);
    expect(await readlink(join(folder, 'fine'))).toBe('p/q/up/p');
  });

  it.each([
    ['to itself', { a: link('a') }],
    ['to a link that leads back to it', { a: link('b'), b: link('a') }],
    ['into itself, with a longer path each time', { a: link('a/a') }],
    ['through many others', Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`l${n}`, link(`l${n + 1}`)]))],
  ])('a link is left out if it leads %s', async (_, tree) => {
    const leftOut = await write(tree);
    expect(leftOut).toContainEqual({ path: Object.keys(tree)[0], why: expect.stringContaining('points to itself') });
    await expect(lstat(join(folder, Object.keys(tree)[0] ?? ''))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('a link to a missing file is kept, because a build may create the file', async () => {
    expect(await write({ latest: link('dist/index.html') })).toEqual([]);
    expect(await readlink(join(folder, 'latest'))).toBe('dist/index.html');
  });

  it('submodules are left out with an explanation', async () =>
    expect(await write({ 'vendor/it': { text: '', kind: 'submodule' } })).toEqual([
      { path: 'vendor/it', why: 'it is a submodule, which is not fetched' },
    ]));

  it('files that exceed the size limit are refused', async () =>
    expect(write({ a: { text: 'x'.repeat(600) }, b: { text: 'x'.repeat(600) } })).rejects.toMatchObject({
      code: 'too_large',
    }));
});
