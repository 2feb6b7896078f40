import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findLink, readLinkIn, toLinkPath, writeLink } from './stele-json.js';

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'stele-link-')));
  await mkdir(join(folder, 'project', 'deep'), { recursive: true });
  await mkdir(join(folder, 'project', '.git'));
  await writeFile(join(folder, 'project', '.git', 'HEAD'), 'ref: refs/heads/main\n');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('stele.json', () => {
  it('stele.json is found from a subfolder', async () => {
    const file = await writeLink(join(folder, 'project'), { site: 'page', folder: 'dist' });
    expect(await findLink(join(folder, 'project', 'deep'))).toEqual({ site: 'page', folder: 'dist', file });
  });

  it('stele.json is not searched for outside the repository, where other users could have written it', async () => {
    await writeLink(folder, { site: 'page' });
    expect(await findLink(join(folder, 'project', 'deep'))).toBeNull();
  });

  it('stele.json keeps members that the command does not change', async () => {
    const file = join(folder, 'project', 'stele.json');
    await writeFile(file, '{"$schema":"a","site":"old","folder":"dist"}');
    await writeLink(join(folder, 'project'), { site: 'new' });
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ $schema: 'a', site: 'new', folder: 'dist' });
  });

  it.each([
    ['{', 'is not valid JSON (line 1, column 2).'],
    ['{\n  site }', 'is not valid JSON (line 2, column 3).'],
    ['[]', 'must contain a JSON object'],
    ['{"site":1}', '`site` must be a string'],
    ['{"site":"stele_edit_abc"}', 'contains a token'],
  ])('refuses a file with the content %s', async (text, message) => {
    await writeFile(join(folder, 'project', 'stele.json'), text);
    await expect(findLink(join(folder, 'project'))).rejects.toThrow(message);
  });

  it.each([
    ['a folder', (file: string) => mkdir(file), 'is not a regular file.'],
    ['a pipe', (file: string) => execFileSync('mkfifo', [file]), 'is not a regular file.'],
    ['a device', (file: string) => symlink('/dev/zero', file), 'is not a regular file.'],
    ['too large', (file: string) => writeFile(file, ' '.repeat(65_537)), 'is larger than 64 KiB.'],
  ])('refuses a stele.json that is %s', async (_, create, message) => {
    const project = join(folder, 'project');
    await create(join(project, 'stele.json'));
    for (const read of [findLink, readLinkIn, (path: string) => writeLink(path, {})])
      await expect(read(project)).rejects.toThrow(message);
  });

  it('the search does not hang if .git/HEAD is a pipe', async () => {
    await rm(join(folder, 'project', '.git', 'HEAD'));
    execFileSync('mkfifo', [join(folder, 'project', '.git', 'HEAD')]);
    expect(await findLink(join(folder, 'project', 'deep'))).toBeNull();
  });

  it('paths in stele.json are written with slashes', () => {
    expect([toLinkPath('/a', '/a/b/c'), toLinkPath('/a', '/a')]).toEqual(['b/c', '.']);
  });
});
