import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { alreadyGone, ignoreFault } from '../../kernel/faults/ignored-fault.js';
import { formatBytes, formatNumber } from '../../kernel/output/quantities.js';
import type { Exceeded } from '../../kernel/ports/outside/builder.js';
import { type ControlGroup, type ControlGroupTree, type GroupLimits, PERIOD_US } from './control-groups.js';
import { counted, endAll, groupsBelow, readNumberFile, removeGroup } from './group-files.js';

const CONTROLLERS = ['memory', 'pids', 'cpu'] as const;

/**
 * Groups for builds and for the service. The service needs its own group, because a group with child groups cannot
 * have processes.
 */
const BUILDS = 'stele-builds';
const SERVICE = 'stele-service';

/** CPU weight below the default of 100, so that the service takes priority over builds. */
const WEIGHT_OF_BUILDS = 50;

/** Number of attempts to move all processes. Processes that start during one attempt are moved in the next. */
const MAX_MOVES = 5;

/**
 * Creates control groups of version 2 (Linux, Documentation/admin-guide/cgroup-v2) below the group of this process.
 * Moves the processes of that group into a child group, as the kernel requires. Requires root or delegation (systemd’s
 * `Delegate=`). Returns null without permission.
 */
export async function controlGroupsV2(
  mount = '/sys/fs/cgroup',
  selfFile = '/proc/self/cgroup',
): Promise<ControlGroupTree | null> {
  try {
    const own = ownGroup(await readFile(selfFile, 'utf8'));
    if (own === null) return null;
    const folder = join(mount, own);
    // An earlier process may have moved the service, or the shell that started it, into the service’s group.
    const parent = basename(folder) === SERVICE ? dirname(folder) : folder;
    const offered = (await readFile(join(parent, 'cgroup.controllers'), 'utf8')).trim().split(' ');
    if (!CONTROLLERS.every((name) => offered.includes(name))) return null;
    await enable(parent);
    const builds = join(parent, BUILDS);
    await mkdir(builds, { recursive: true });
    await writeFile(join(builds, 'cpu.weight'), String(WEIGHT_OF_BUILDS));
    await writeFile(join(builds, 'cgroup.subtree_control'), ENABLED);
    return new GroupsV2(builds, mount);
  } catch (error) {
    return ignoreFault(error) ?? null;
  }
}

const ENABLED = CONTROLLERS.map((name) => `+${name}`).join(' ');

/**
 * Reads this process’s group from the line `0::{path}`. Returns null if the path is above the visible root, as it can
 * be in a container.
 */
function ownGroup(text: string): string | null {
  const path = text
    .split('\n')
    .find((line) => line.startsWith('0::'))
    ?.slice('0::'.length);
  return path === undefined || path.startsWith('/..') ? null : path;
}

/** Enables controllers for child groups. The kernel refuses this while the group itself has processes. */
async function enable(parent: string): Promise<void> {
  for (let moves = 0; ; moves++) {
    const error = await writeFile(join(parent, 'cgroup.subtree_control'), ENABLED).then(
      () => null,
      (fault: NodeJS.ErrnoException) => fault,
    );
    if (error === null) return;
    if (error.code !== 'EBUSY' || moves === MAX_MOVES) throw error;
    await moveAll(parent);
  }
}

async function moveAll(parent: string): Promise<void> {
  const service = join(parent, SERVICE);
  await mkdir(service, { recursive: true });
  const ids = (await readFile(join(parent, 'cgroup.procs'), 'utf8')).trim();
  // Ignores a process that has exited in the meantime.
  for (const id of ids.split('\n')) await writeFile(join(service, 'cgroup.procs'), id).catch(alreadyGone);
}

class GroupsV2 implements ControlGroupTree {
  readonly version = 2;

  constructor(
    private readonly folder: string,
    private readonly mount: string,
  ) {}

  async make(name: string, limits: GroupLimits): Promise<ControlGroup> {
    const group = new GroupV2(join(this.folder, name), this.mount, limits);
    await group.begin();
    return group;
  }

  async clear(name: string): Promise<void> {
    const left = new GroupV2(join(this.folder, name), this.mount, null);
    await left.kill();
    await left.remove();
  }
}

class GroupV2 implements ControlGroup {
  /** Number of times that each limit had been reached at the last check. */
  #met = { memory: 0, processes: 0 };

  constructor(
    private readonly folder: string,
    private readonly mount: string,
    private readonly limits: GroupLimits | null,
  ) {}

  get doors() {
    return [this.#file('cgroup.procs')];
  }

  get parent() {
    return `/${relative(this.mount, this.folder)}`;
  }

  async begin(): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const { limits } = this;
    if (!limits) return;
    await writeFile(this.#file('memory.max'), String(limits.memoryBytes));
    // Ignores errors, because the kernel may not support limits on swap.
    await writeFile(this.#file('memory.swap.max'), '0').catch(ignoreFault);
    // Makes the kernel kill all processes of a build together, because a build cannot continue without one of them.
    await writeFile(this.#file('memory.oom.group'), '1');
    await writeFile(this.#file('pids.max'), String(limits.processes));
    if (limits.cpus !== undefined)
      await writeFile(this.#file('cpu.max'), `${Math.ceil(limits.cpus * PERIOD_US)} ${PERIOD_US}`);
  }

  async exceeded(): Promise<Exceeded | null> {
    if (!this.limits) return null;
    const before = this.#met;
    this.#met = {
      memory: await counted(this.#file('memory.events'), 'oom_kill'),
      processes: await counted(this.#file('pids.events'), 'max'),
    };
    if (this.#met.memory > before.memory) return { what: 'memory', limit: formatBytes(this.limits.memoryBytes) };
    if (this.#met.processes > before.processes)
      return { what: 'processes', limit: formatNumber(this.limits.processes) };
    return null;
  }

  async memoryBytes(): Promise<number | null> {
    return readNumberFile(this.#file('memory.current'));
  }

  async kill(): Promise<void> {
    // Kernels before Linux 5.14 lack `cgroup.kill`, so processes are also killed one by one.
    await writeFile(this.#file('cgroup.kill'), '1').catch(ignoreFault);
    for (const folder of await groupsBelow(this.folder)) await endAll(join(folder, 'cgroup.procs'));
  }

  async remove(): Promise<void> {
    for (const folder of await groupsBelow(this.folder)) await removeGroup(folder);
  }

  #file(name: string): string {
    return join(this.folder, name);
  }
}
