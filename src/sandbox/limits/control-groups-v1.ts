import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import { formatBytes, formatNumber } from '../../kernel/output/quantities.js';
import type { Exceeded } from '../../kernel/ports/outside/builder.js';
import { type ControlGroup, type ControlGroupTree, type GroupLimits, PERIOD_US } from './control-groups.js';
import { counted, endAll, groupsBelow, readNumberFile, removeGroup } from './group-files.js';

/** Control group controllers in use. By default, `cpu` gives each build the same share. */
const CONTROLLERS = ['memory', 'pids', 'cpu'] as const;
type Folders = Readonly<Record<(typeof CONTROLLERS)[number], string>>;

const OURS = 'stele-builds';

/**
 * Creates control groups of version 1 (Linux, Documentation/admin-guide/cgroup-v1). They are placed below the group of
 * this process (`us`), or below the root (`root`), where their path is the same in all hierarchies. Returns null
 * without permission.
 */
export async function controlGroupsV1(
  root = '/sys/fs/cgroup',
  below: 'us' | 'root' = 'us',
): Promise<ControlGroupTree | null> {
  try {
    const own = ownGroups(await readFile('/proc/self/cgroup', 'utf8'));
    const found = await Promise.all(
      CONTROLLERS.map((name) => ours(join(root, name), below === 'us' ? (own.get(name) ?? '/') : '/')),
    );
    const [memory, pids, cpu] = found;
    if (!memory || !pids || !cpu) return null;
    return new GroupsV1({ memory, pids, cpu }, root);
  } catch {
    return null;
  }
}

/** Parses lines of the form `{id}:{controllers}:{path}` into groups by controller. */
function ownGroups(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\n').flatMap((line) => {
      const [, controllers = '', path = '/'] = line.split(':');
      return controllers.split(',').map((name) => [name, path] as const);
    }),
  );
}

/** Creates a folder below this process’s group, or below the mount’s root if a container hides the group. */
async function ours(mount: string, own: string): Promise<string | null> {
  for (const parent of new Set([join(mount, own), mount])) {
    const folder = join(parent, OURS);
    const isMade = await mkdir(folder, { recursive: false }).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code === 'EEXIST',
    );
    if (isMade) return folder;
  }
  return null;
}

class GroupsV1 implements ControlGroupTree {
  readonly version = 1;

  constructor(
    private readonly folders: Folders,
    private readonly root: string,
  ) {}

  async make(name: string, limits: GroupLimits): Promise<ControlGroup> {
    const group = new GroupV1(this.#foldersOf(name), this.root, limits);
    await group.begin();
    return group;
  }

  async clear(name: string): Promise<void> {
    const left = new GroupV1(this.#foldersOf(name), this.root);
    await left.kill();
    await left.remove();
  }

  #foldersOf(name: string): Folders {
    const { memory, pids, cpu } = this.folders;
    return { memory: join(memory, name), pids: join(pids, name), cpu: join(cpu, name) };
  }
}

class GroupV1 implements ControlGroup {
  /** Number of times that each limit had been reached at the last check. */
  #met = { memory: 0, processes: 0 };

  constructor(
    private readonly folders: Folders,
    private readonly root: string,
    private readonly limits: GroupLimits | null = null,
  ) {}

  get doors() {
    return Object.values(this.folders).map((folder) => join(folder, 'cgroup.procs'));
  }

  get parent() {
    const found = new Set(CONTROLLERS.map((name) => relative(join(this.root, name), this.folders[name])));
    const [path] = found;
    return found.size === 1 && path !== undefined ? `/${path}` : null;
  }

  async begin(): Promise<void> {
    for (const folder of Object.values(this.folders)) await mkdir(folder, { recursive: true });
    const { limits } = this;
    if (!limits) return;
    const { memory, pids, cpu } = this.folders;
    await writeFile(join(memory, 'memory.limit_in_bytes'), String(limits.memoryBytes));
    // Limits memory and swap together. Some kernels do not support this limit.
    await writeFile(join(memory, 'memory.memsw.limit_in_bytes'), String(limits.memoryBytes)).catch(alreadyGone);
    await writeFile(join(pids, 'pids.max'), String(limits.processes));
    if (limits.cpus === undefined) return;
    await writeFile(join(cpu, 'cpu.cfs_period_us'), String(PERIOD_US));
    await writeFile(join(cpu, 'cpu.cfs_quota_us'), String(Math.ceil(limits.cpus * PERIOD_US)));
  }

  async exceeded(): Promise<Exceeded | null> {
    if (!this.limits) return null;
    const { memory, pids } = this.folders;
    const before = this.#met;
    this.#met = {
      memory: await counted(join(memory, 'memory.oom_control'), 'oom_kill'),
      processes: await counted(join(pids, 'pids.events'), 'max'),
    };
    if (this.#met.memory > before.memory) return { what: 'memory', limit: formatBytes(this.limits.memoryBytes) };
    if (this.#met.processes > before.processes)
      return { what: 'processes', limit: formatNumber(this.limits.processes) };
    return null;
  }

  memoryBytes(): Promise<number | null> {
    return readNumberFile(join(this.folders.memory, 'memory.usage_in_bytes'));
  }

  async kill(): Promise<void> {
    for (const folder of await groupsBelow(this.folders.pids)) await endAll(join(folder, 'cgroup.procs'));
  }

  async remove(): Promise<void> {
    for (const folder of Object.values(this.folders))
      for (const each of await groupsBelow(folder)) await removeGroup(each);
  }
}
