import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { computeServerLimits, hardLimits } from './server-limits.js';

const GIB = 1_073_741_824;
const limits = { memoryBytes: 3 * GIB, processes: 10, diskBytes: 5_000, diskFiles: 1 };

describe('computeServerLimits', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stele-limits-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const within = async (lines: string, { hasGroup = false, memoryBytes = limits.memoryBytes } = {}) => {
    const file = join(folder, 'limits');
    await writeFile(file, `Limit                     Soft Limit           Hard Limit           Units\n${lines}`);
    return computeServerLimits({ ...limits, memoryBytes }, hasGroup, await hardLimits(file));
  };

  it('the limits of each process are derived from those of the build', async () =>
    expect(await within('Max processes             100                  unlimited            processes\n')).toEqual([
      ...['--core=0', '--fsize=5000', '--nproc=40', `--data=${6 * GIB}`],
    ]));

  it('a small build that exceeds its limit can continue until the excess is detected', async () =>
    expect(await within('', { memoryBytes: GIB })).toContain(`--data=${3 * GIB}`));

  it('limits never exceed this process’s hard limits, because the kernel would refuse them', async () => {
    const lines = `Max file size             unlimited            4000                 bytes
Max data size             unlimited            1500                 bytes
Max processes             5                    20                   processes
`;
    expect(await within(lines)).toEqual(['--core=0', '--fsize=4000', '--nproc=20', '--data=1500']);
  });

  it('if a control group limits the build, only the file size is limited for each process', async () =>
    expect(await within('', { hasGroup: true })).toEqual(['--core=0', '--fsize=5000']));
});
