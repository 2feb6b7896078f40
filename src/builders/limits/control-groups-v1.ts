import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import type { BuildLimits, Exceeded } from '../../kernel/ports/builder.js';
import { type ControlGroup, type ControlGroups, mebibytes } from './control-groups.js';

/** The controllers that are needed; `cpu` gives each build the same share without being asked. */
const CONTROLLERS = ['memory', 'pids', 'cpu'] as const;
type Folders = Readonly<Record<(typeof CONTROLLERS)[number], string>>;

/** Of the name of each group of ours, below which those of builds are. */
const OURS = 'stele-builds';
const LOOK_AGAIN_MS = 20;

/** Control groups of version 1 (Linux, Documentation/admin-guide/cgroup-v1); null where we may not make any. */
export async function controlGroupsV1(root = '/sys/fs/cgroup'): Promise<ControlGroups | null> {
  try {
    const own = ownGroups(await readFile('/proc/self/cgroup', 'utf8'));
    const found = await Promise.all(CONTROLLERS.map((name) => ours(join(root, name), own.get(name) ?? '/')));
    const [memory, pids, cpu] = found;
    if (!memory || !pids || !cpu) return null;
    return new Groups({ memory, pids, cpu });
  } catch {
    return null;
  }
}

/** The group of this process, by controller: lines of `{id}:{controllers}:{path}`. */
function ownGroups(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\n').flatMap((line) => {
      const [, controllers = '', path = '/'] = line.split(':');
      return controllers.split(',').map((name) => [name, path] as const);
    }),
  );
}

/** Our folder below the group of this process, or below the mount’s root where a container does not show that group. */
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

class Groups implements ControlGroups {
  readonly version = 1;

  constructor(private readonly folders: Folders) {}

  async make(name: string, limits: BuildLimits): Promise<ControlGroup> {
    const group = new Group(
      {
        memory: join(this.folders.memory, name),
        pids: join(this.folders.pids, name),
        cpu: join(this.folders.cpu, name),
      },
      limits,
    );
    await group.begin();
    return group;
  }

  async sweep(): Promise<void> {
    for (const name of await readdir(this.folders.memory, { withFileTypes: true })) {
      if (!name.isDirectory()) continue;
      const { memory, pids, cpu } = this.folders;
      const left = new Group({
        memory: join(memory, name.name),
        pids: join(pids, name.name),
        cpu: join(cpu, name.name),
      });
      await left.kill();
      await left.remove();
    }
  }
}

class Group implements ControlGroup {
  /** How often each limit was met when that was last asked. */
  #met = { memory: 0, processes: 0 };

  constructor(
    private readonly folders: Folders,
    private readonly limits: BuildLimits | null = null,
  ) {}

  get doors() {
    return Object.values(this.folders).map((folder) => join(folder, 'cgroup.procs'));
  }

  async begin(): Promise<void> {
    for (const folder of Object.values(this.folders)) await mkdir(folder, { recursive: true });
    const { limits } = this;
    if (!limits) return;
    const { memory, pids } = this.folders;
    await writeFile(join(memory, 'memory.limit_in_bytes'), String(limits.memoryBytes));
    // Memory and swap together; a kernel may do without it.
    await writeFile(join(memory, 'memory.memsw.limit_in_bytes'), String(limits.memoryBytes)).catch(alreadyGone);
    await writeFile(join(pids, 'pids.max'), String(limits.processes));
  }

  async exceeded(): Promise<Exceeded | null> {
    if (!this.limits) return null;
    const { memory, pids } = this.folders;
    const before = this.#met;
    this.#met = {
      memory: await counted(join(memory, 'memory.oom_control'), 'oom_kill'),
      processes: await counted(join(pids, 'pids.events'), 'max'),
    };
    if (this.#met.memory > before.memory) return { what: 'memory', limit: mebibytes(this.limits.memoryBytes) };
    if (this.#met.processes > before.processes) return { what: 'processes', limit: String(this.limits.processes) };
    return null;
  }

  async kill(): Promise<void> {
    for (;;) {
      const ids = (await readFile(join(this.folders.pids, 'cgroup.procs'), 'utf8').catch(alreadyGone)) ?? '';
      if (ids.trim() === '') return;
      for (const id of ids.trim().split('\n')) end(Number(id));
      await delay(LOOK_AGAIN_MS);
    }
  }

  async remove(): Promise<void> {
    for (const folder of Object.values(this.folders)) await rmdir(folder).catch(alreadyGone);
  }
}

function end(pid: number) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended by itself.
  }
}

/** The number behind a name, in a file of lines `{name} {number}`; 0 where there is none. */
export async function counted(file: string, name: string): Promise<number> {
  const text = (await readFile(file, 'utf8').catch(alreadyGone)) ?? '';
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}
