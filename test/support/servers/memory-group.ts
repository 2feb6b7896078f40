import { existsSync } from 'node:fs';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type MemoryGroup = {
  /** Command line to which a command is appended, so that it runs in the control group. */
  readonly command: readonly [string, ...string[]];
  /** Returns the peak memory use so far, in bytes. */
  readonly most: () => Promise<number>;
  readonly remove: () => Promise<void>;
};

/** Creates a memory control group (cgroup v1 or v2) below that of this process. Requires root. */
export async function memoryGroup(name: string, bytes: number): Promise<MemoryGroup> {
  const lines = (await readFile('/proc/self/cgroup', 'utf8')).split('\n').map((line) => line.split(':'));
  const isOld = existsSync('/sys/fs/cgroup/memory/memory.limit_in_bytes');
  const [, , own = '/'] = lines.find(([, controllers]) => controllers === (isOld ? 'memory' : '')) ?? [];
  const mount = isOld ? '/sys/fs/cgroup/memory' : '/sys/fs/cgroup';
  const folder = join(existsSync(join(mount, own)) ? join(mount, own) : mount, name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, isOld ? 'memory.limit_in_bytes' : 'memory.max'), String(bytes));
  const most = isOld ? 'memory.max_usage_in_bytes' : 'memory.peak';
  return {
    command: ['/bin/sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', folder],
    most: async () => Number(await readFile(join(folder, most), 'utf8')),
    remove: async () => {
      for (const each of [join(folder, 'stele-builds'), folder]) await rmdir(each).catch(() => undefined);
    },
  };
}
