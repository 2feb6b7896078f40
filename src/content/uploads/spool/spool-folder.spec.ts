import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SpoolFile } from './spool-file.js';
import { SpoolFolder } from './spool-folder.js';

describe('The spool folder', () => {
  let around: string;
  let folder: SpoolFolder;

  beforeEach(async () => {
    around = await mkdtemp(join(tmpdir(), 'stele-scratch-'));
    folder = new SpoolFolder(join(around, 'incoming'));
    await folder.start();
  });
  afterEach(() => rm(around, { recursive: true }));

  it('a spool file never appears in the folder’s listing', async () => {
    const file = await SpoolFile.open(folder.path);
    await file.append([Buffer.from('some '), Buffer.from('bytes')]);
    expect(await readdir(folder.path)).toEqual([]);
    expect((await file.at(5, 100)).toString()).toBe('bytes');
    await file.close();
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('at startup, only files that were left behind by killed processes are removed', async () => {
    const open = await SpoolFile.open(folder.path);
    await open.append([Buffer.from('of another process')]);
    await writeFile(join(folder.path, 'incoming-left-behind'), 'half');
    await writeFile(join(folder.path, 'note.txt'), 'somebody’s');
    await new SpoolFolder(folder.path).start();
    expect(await readdir(folder.path)).toEqual(['note.txt']);
    expect((await open.at(0, 100)).toString()).toBe('of another process');
    await open.close();
  });
});
