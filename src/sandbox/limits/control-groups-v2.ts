import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { alreadyGone, doneWithout } from '../../kernel/faults/ignored-fault.js';
import { formatBytes, formatNumber } from '../../kernel/output/quantities.js';
import type { Exceeded } from '../../kernel/ports/outside/builder.js';
import { type ControlGroup, type ControlGroups, type GroupLimits, PERIOD_US } from './control-groups.js';
import { counted, endAll, groupsBelow, numberIn, removeGroup } from './group-files.js';

const CONTROLLERS = ['memory', 'pids', 'cpu'] as const;

/** Of builds, and of the service itself: a group with groups below it has no processes of its own. */
const BUILDS = 'stele-builds';
const SERVICE = 'stele-service';

/** Of 100 for others beside them: the service goes first. All builds have the same among themselves. */
const WEIGHT_OF_BUILDS = 50;

/** What starts while we move is moved the next time. */
const MOST_MOVES = 5;

/**
 * Control groups of version 2 (Linux, Documentation/admin-guide/cgroup-v2): below the group of this process, as root or
 * where that group is delegated to us (systemd’s `Delegate=`). What is in our group is moved into one below it, where it
 * has to be. Null where we may not make any.
 */
export async function controlGroupsV2(
  mount = '/sys/fs/cgroup',
  selfFile = '/proc/self/cgroup',
): Promise<ControlGroups | null> {
  try {
    const own = ownGroup(await readFile(selfFile, 'utf8'));
    if (own === null) return null;
    const folder = join(mount, own);
    // An earlier process of ours may have moved us, or the shell that we were started from.
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
    return doneWithout(error) ?? null;
  }
}

const ENABLED = CONTROLLERS.map((name) => `+${name}`).join(' ');

/** The line `0::{path}`; in a container the path may lie above what is shown. */
function ownGroup(text: string): string | null {
  const path = text
    .split('\n')
    .find((line) => line.startsWith('0::'))
    ?.slice('0::'.length);
  return path === undefined || path.startsWith('/..') ? null : path;
}

/** Lets groups below a group have controllers. The kernel refuses that while it has processes of its own. */
async function enable(parent: string): Promise<void> {
  for (let moves = 0; ; moves++) {
    const error = await writeFile(join(parent, 'cgroup.subtree_control'), ENABLED).then(
      () => null,
      (fault: NodeJS.ErrnoException) => fault,
    );
    if (error === null) return;
    if (error.code !== 'EBUSY' || moves === MOST_MOVES) throw error;
    await moveAll(parent);
  }
}

async function moveAll(parent: string): Promise<void> {
  const service = join(parent, SERVICE);
  await mkdir(service, { recursive: true });
  const ids = (await readFile(join(parent, 'cgroup.procs'), 'utf8')).trim();
  // One that has ended meanwhile need not be moved.
  for (const id of ids.split('\n')) await writeFile(join(service, 'cgroup.procs'), id).catch(alreadyGone);
}

class GroupsV2 implements ControlGroups {
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
  /** How often each limit was met when that was last asked. */
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
    // A kernel may know no swap.
    await writeFile(this.#file('memory.swap.max'), '0').catch(doneWithout);
    // A build without one of its processes only goes astray.
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
    return numberIn(this.#file('memory.current'));
  }

  async kill(): Promise<void> {
    // Since Linux 5.14; without it they are ended one by one.
    await writeFile(this.#file('cgroup.kill'), '1').catch(doneWithout);
    for (const folder of await groupsBelow(this.folder)) await endAll(join(folder, 'cgroup.procs'));
  }

  async remove(): Promise<void> {
    for (const folder of await groupsBelow(this.folder)) await removeGroup(folder);
  }

  #file(name: string): string {
    return join(this.folder, name);
  }
}
