import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { gitFolder } from './git-folder.js';

const DATA = Buffer.from(
  `tree ${'4b825dc642cb6eb9a060e54bf8d69288fbee4904'}\nparent ${'a'.repeat(40)}\nauthor Ann <ann@example.org> 1700000000 +0100\ncommitter Ann <ann@example.org> 1700000000 +0100\n\nPublish the site\n`,
);
const COMMIT = hash('sha1', Buffer.concat([Buffer.from(`commit ${DATA.length}\0`), DATA]));

describe('gitFolder', () => {
  let folder: string;
  const copyOf = (ref: string, refKind: 'branch' | 'tag' | 'commit', data = DATA) => ({
    ...{ url: 'https://example.org/a', ref, refKind, commit: COMMIT },
    commitObject: async () => data,
  });
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: folder, env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null' } })
      .toString()
      .trim();

  async function write(copy: ReturnType<typeof copyOf>) {
    for (const [path, content] of (await gitFolder(copy)) ?? []) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stele-git-folder-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('the .git folder contains the commit with its branch, author, date and message', async () => {
    await write(copyOf('feature/x', 'branch'));
    expect(git('rev-parse', 'HEAD')).toBe(COMMIT);
    expect(git('rev-parse', '--short', 'HEAD')).toBe(COMMIT.slice(0, 7));
    expect(git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('feature/x');
    expect(git('log', '-1', '--format=%an %ae %cI %s')).toBe(
      'Ann ann@example.org 2023-11-14T23:13:20+01:00 Publish the site',
    );
    expect(git('rev-list', '--count', 'HEAD')).toBe('1');
    expect(git('describe', '--always')).toBe(COMMIT.slice(0, 7));
    expect(git('config', '--get', 'remote.origin.url')).toBe('https://example.org/a');
  });

  it('the .git folder contains the tag of the commit', async () => {
    await write(copyOf('v1.2.0', 'tag'));
    expect(git('describe', '--tags')).toBe('v1.2.0');
    expect(git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD');
  });

  it('supports a commit without a branch or tag', async () => {
    await write(copyOf(COMMIT, 'commit'));
    expect(git('rev-parse', 'HEAD')).toBe(COMMIT);
  });

  it('returns null if the commit data does not match the commit ID', async () =>
    expect(await gitFolder(copyOf('main', 'branch', Buffer.from('x')))).toBeNull());
});
