import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hardLimits, programLimits } from './program-limits.js';

const GIB = 1_073_741_824;
const limits = { memoryBytes: 3 * GIB, processes: 10, diskBytes: 5_000, diskFiles: 1 };

describe('What holds for each process of a build', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stele-limits-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const within = async (lines: string, { hasGroup = false, memoryBytes = limits.memoryBytes } = {}) => {
    const file = join(folder, 'limits');
    await writeFile(file, `Limit                     Soft Limit           Hard Limit           Units\n${lines}`);
    return programLimits({ ...limits, memoryBytes }, hasGroup, await hardLimits(file));
  };

  it('follows from what a build may have, where nothing bounds this process', async () =>
    expect(await within('Max processes             100                  unlimited            processes\n')).toEqual([
      ...['--core=0', '--fsize=5000', '--nproc=40', `--data=${6 * GIB}`],
    ]));

  it('leaves time to see a build of little memory that takes more', async () =>
    expect(await within('', { memoryBytes: GIB })).toContain(`--data=${3 * GIB}`));

  it('is no more than this process may be given itself: the kernel would refuse that', async () => {
    const lines = `Max file size             unlimited            4000                 bytes
Max data size             unlimited            1500                 bytes
Max processes             5                    20                   processes
`;
    expect(await within(lines)).toEqual(['--core=0', '--fsize=4000', '--nproc=20', '--data=1500']);
  });

  it('is left to the control group, but for the size of a file', async () =>
    expect(await within('', { hasGroup: true })).toEqual(['--core=0', '--fsize=5000']));
});
