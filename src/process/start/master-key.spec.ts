import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openMasterKey } from './master-key.js';

describe('The master key', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stele-key-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('the master key is created once and kept, and can be read only by its owner', async () => {
    const data = join(folder, 'not/there/yet');
    const key = await openMasterKey(data, null);
    expect(key).toHaveLength(32);
    expect(await openMasterKey(data, null)).toEqual(key);
    expect((await stat(join(data, 'master-key'))).mode & 0o777).toBe(0o600);
    expect(await readdir(data)).toEqual(['master-key']);
  });

  it('the master key is the same for all processes that start at the same time', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => openMasterKey(folder, null)));
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
    expect(await readdir(folder)).toEqual(['master-key']);
  });

  it('if the operator sets a master key, that key is used and no file is created', async () => {
    const given = randomBytes(32);
    expect(await openMasterKey(folder, given)).toBe(given);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each(['', 'hello', randomBytes(31).toString('base64'), `${randomBytes(32).toString('base64')}x`])(
    'the master key is not read from a file that contains %j',
    async (text) => {
      await writeFile(join(folder, 'master-key'), text);
      await expect(openMasterKey(folder, null)).rejects.toMatchObject({
        name: 'MasterKeyError',
        message: expect.stringContaining(`${join(folder, 'master-key')} does not contain a master key`),
      });
    },
  );
});
