import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { list } from 'tar';
import { outputArchive } from './output-archive.js';

describe('outputArchive', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'stele-output-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function left(files: Readonly<Record<string, string | { readonly link: string }>>) {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      if (typeof content === 'string') await writeFile(join(root, path), content);
      else await symlink(content.link, join(root, path));
    }
  }

  const folders = [
    { folder: 'made', at: 'app' },
    { folder: 'public', at: 'app/public' },
  ];
  const archived = () => buffer(Readable.from(outputArchive(root, { 'first.json': '{}' }, folders)));

  async function members(bytes: Buffer) {
    const found: unknown[] = [];
    const contents: Promise<void>[] = [];
    const parser = list({
      onReadEntry: (entry) => {
        const at = found.push(null) - 1;
        const { path, type, linkpath, mode } = entry;
        contents.push(
          entry.concat().then((content) => {
            found[at] = [path, type, type === 'File' ? content.toString() : linkpath, mode?.toString(8)];
          }),
        );
      },
    });
    const ended = new Promise((resolve) => parser.once('end', resolve));
    parser.end(bytes);
    await ended;
    await Promise.all(contents);
    return found;
  }

  it('the archive contains generated files, then sorted files and internal links, and later folders take precedence', async () => {
    const long = `made/${'deep/'.repeat(40)}é.txt`;
    await left({
      'made/b.js': 'B',
      'made/a/run.sh': 'A',
      'made/public/x': 'old',
      'public/x': 'new',
      'made/node_modules/p': { link: '.store/p' },
      'made/node_modules/.store/p/index.js': 'P',
      [long]: 'L',
    });
    await chmod(join(root, 'made/a/run.sh'), 0o700);
    const bytes = await archived();
    expect(await members(bytes)).toEqual([
      ['first.json', 'File', '{}', '644'],
      ['app/a/run.sh', 'File', 'A', '755'],
      ['app/b.js', 'File', 'B', '644'],
      [long.replace('made', 'app'), 'File', 'L', '644'],
      ['app/node_modules/.store/p/index.js', 'File', 'P', '644'],
      ['app/node_modules/p', 'SymbolicLink', '.store/p', '777'],
      ['app/public/x', 'File', 'new', '644'],
    ]);
    await writeFile(join(root, 'made/b.js'), 'B');
    expect((await archived()).equals(bytes)).toBe(true);
  });

  it.each(['/etc/passwd', '../../../outside', '.git/config', 'around'])('a link to %s is refused', async (target) => {
    await left({ 'made/around': { link: target } });
    await expect(archived()).rejects.toThrow(/app\/around cannot be included/);
  });

  it('a folder whose path leads through a link is left out', async () => {
    await mkdir(join(root, 'made'));
    await symlink('/etc', join(root, 'public'));
    expect(await members(await archived())).toEqual([['first.json', 'File', '{}', '644']]);
  });

  it('a name that contains a line break is refused', async () => {
    await left({ 'made/a\nb': 'x' });
    await expect(archived()).rejects.toThrow('a name with control characters');
  });
});
