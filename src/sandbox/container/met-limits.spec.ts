import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findExceededLimit, metLimits, NO_LIMITS_MET } from './met-limits.js';

const LIMITS = { memoryBytes: 268_435_456, processes: 64, diskBytes: 1, diskFiles: 1 };

describe('metLimits', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stele-met-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function met(text: string) {
    await writeFile(join(folder, 'met'), text);
    const found = await metLimits(join(folder, 'met'));
    return found && findExceededLimit(found, LIMITS);
  }

  it.each([
    ['memory.events max 12\nmemory.events oom_kill 1\npids.events max 0\n', { what: 'memory', limit: '256 MiB' }],
    ['memory/memory.oom_control oom_kill 3\npids/pids.events max 9\n', { what: 'memory', limit: '256 MiB' }],
    ['memory.events oom_kill 0\npids.events max 7\n', { what: 'processes', limit: '64' }],
    ['memory/memory.oom_control oom_kill 0\npids/pids.events max 0\n', null],
  ])('the exceeded limit is read from %j', async (text, expected) => {
    expect(await met(text + NO_LIMITS_MET.slice(text.length))).toEqual(expected);
  });

  it('no exceeded limit is returned if the container’s first process ended without reporting one', async () => {
    expect(await met(NO_LIMITS_MET)).toBeNull();
  });

  it('only the beginning of the report file, which is reserved for limits, is read', async () => {
    expect(await met(`${'x'.repeat(2_000)}\npids.events max 7\n`)).toBeNull();
  });
});
