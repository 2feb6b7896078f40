import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { controlGroupsV2 } from './control-groups-v2.js';

const limits = { memoryBytes: 268_435_456, processes: 64, diskBytes: 1, diskFiles: 1 };

/** Tests with simulated kernel files. `npm run control-groups` tests with the real kernel. */
describe('Control groups of version 2', () => {
  let mount: string;
  let self: string;

  beforeEach(async () => {
    mount = await mkdtemp(join(tmpdir(), 'stele-groups-'));
    self = join(mount, 'self');
    await offer('system.slice/stele.service', 'cpuset cpu io memory pids');
    await writeFile(self, '1:name=systemd:/x\n0::/system.slice/stele.service\n');
  });
  afterEach(() => rm(mount, { recursive: true, force: true }));

  async function offer(group: string, controllers: string) {
    await mkdir(join(mount, group), { recursive: true });
    await writeFile(join(mount, group, 'cgroup.controllers'), `${controllers}\n`);
  }
  const said = (path: string) => readFile(join(mount, 'system.slice/stele.service', path), 'utf8');
  const opened = async () => {
    const groups = await controlGroupsV2(mount, self);
    if (!groups) throw new Error('There are none.');
    return groups;
  };

  it('control groups are created below the service’s group, with the limits of the build', async () => {
    const group = await (await opened()).make('one', limits);
    expect(await said('cgroup.subtree_control')).toBe('+memory +pids +cpu');
    expect(await said('stele-builds/cgroup.subtree_control')).toBe('+memory +pids +cpu');
    expect(await said('stele-builds/cpu.weight')).toBe('50');
    expect(await said('stele-builds/one/memory.max')).toBe('268435456');
    expect(await said('stele-builds/one/memory.swap.max')).toBe('0');
    expect(await said('stele-builds/one/memory.oom.group')).toBe('1');
    expect(await said('stele-builds/one/pids.max')).toBe('64');
    expect(group.doors).toEqual([join(mount, 'system.slice/stele.service/stele-builds/one/cgroup.procs')]);
  });

  it('each limit that was reached is reported once', async () => {
    const group = await (await opened()).make('one', limits);
    const folder = join(mount, 'system.slice/stele.service/stele-builds/one');
    await writeFile(join(folder, 'memory.events'), 'low 0\nhigh 0\nmax 9\noom 1\noom_kill 3\noom_group_kill 1\n');
    await writeFile(join(folder, 'pids.events'), 'max 0\n');
    expect(await group.exceeded()).toEqual({ what: 'memory', limit: '256 MiB' });
    expect(await group.exceeded()).toBeNull();
    await writeFile(join(folder, 'pids.events'), 'max 2\n');
    expect(await group.exceeded()).toEqual({ what: 'processes', limit: '64' });
    expect(await group.exceeded()).toBeNull();
  });

  it('all processes of a control group are killed together', async () => {
    const group = await (await opened()).make('one', limits);
    await group.kill();
    expect(await said('stele-builds/one/cgroup.kill')).toBe('1');
  });

  it('new groups are created beside the one into which an earlier process moved the service', async () => {
    await writeFile(self, '0::/system.slice/stele.service/stele-service\n');
    await (await opened()).make('one', limits);
    expect(await said('stele-builds/one/pids.max')).toBe('64');
  });

  it.each([
    ['a controller is not delegated', () => offer('system.slice/stele.service', 'cpu pids')],
    ['this process has no group of this version', () => writeFile(self, '9:memory:/\n')],
    ['the group of this process is hidden', () => writeFile(self, '0::/../elsewhere\n')],
    ['no control groups are mounted', () => writeFile(self, '0::/elsewhere\n')],
  ])('control groups are unavailable if %s', async (_, change) => {
    await change();
    expect(await controlGroupsV2(mount, self)).toBeNull();
  });
});
