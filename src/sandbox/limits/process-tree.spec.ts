import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ProcessTree } from './process-tree.js';

const MIB = 1_048_576;
const limits = { memoryBytes: 100 * MIB, processes: 3, diskBytes: 1, diskFiles: 1 };

describe('ProcessTree', () => {
  let proc: string;
  let tree: ProcessTree;

  beforeEach(async () => {
    proc = await mkdtemp(join(tmpdir(), 'stele-proc-'));
    tree = new ProcessTree(limits, proc);
    await is(1, 0, 900);
    await is(10, 1, 900);
    await is(20, 10, 30);
    tree.begin(20);
  });
  afterEach(() => rm(proc, { recursive: true, force: true }));

  async function is(id: number, parent: number, mebibytes: number) {
    await mkdir(join(proc, String(id)), { recursive: true });
    const status = `Name:\tnode\nPPid:\t${parent}\nRssAnon:\t${(mebibytes - 1) * 1_024} kB\nRssFile:\t 999999 kB\nRssShmem:\t 1024 kB\n`;
    await writeFile(join(proc, String(id), 'status'), status);
  }

  it('all descendants of the root process are counted, and no other processes', async () => {
    await is(21, 20, 30);
    await is(22, 21, 30);
    expect(await tree.exceeded()).toBeNull();
    await is(5, 22, 1);
    expect(await tree.exceeded()).toEqual({ what: 'processes', limit: '3' });
  });

  it('the memory limit is reported if all processes together exceed it', async () => {
    await is(21, 20, 60);
    expect(await tree.exceeded()).toBeNull();
    await is(22, 21, 30);
    expect(await tree.exceeded()).toEqual({ what: 'memory', limit: '100 MiB' });
  });

  it('no process is counted before the root process is known or after it has ended', async () => {
    const other = new ProcessTree({ ...limits, processes: 0 }, proc);
    expect(await other.exceeded()).toBeNull();
    other.begin(77);
    expect(await other.exceeded()).toBeNull();
  });
});
