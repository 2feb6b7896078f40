import { open } from 'node:fs/promises';
import { formatBytes, formatNumber } from '../../kernel/output/quantities.js';
import type { BuildLimits, Exceeded } from '../../kernel/ports/outside/builder.js';

/** The first process of a container writes there how often limits were met, as it is the last that can see it. */
export const MET_LIMITS = '/run/met-limits';

/**
 * The first process of a container, which takes in what others leave behind and lives until the command is over. Builds
 * cannot end it. It writes with what a shell has in itself: there may be no room for another process.
 */
export const FIRST_PROCESS = `"$@"
code=$?
for file in memory.events pids.events memory/memory.oom_control pids/pids.events; do
  if [ -r /sys/fs/cgroup/$file ]; then
    while read -r name count; do echo "$file $name $count"; done < /sys/fs/cgroup/$file
  fi
done 1<> ${MET_LIMITS}
exit $code`;

/** Room that is taken before a build can fill the disk. */
export const NO_LIMITS_MET = `${' '.repeat(1_023)}\n`;

/** Of both versions of control groups. */
const COUNTERS = [
  ['memory.events oom_kill ', 'memory'],
  ['memory/memory.oom_control oom_kill ', 'memory'],
  ['pids.events max ', 'processes'],
  ['pids/pids.events max ', 'processes'],
] as const;

/** What the first process has written: null where it did not come to write anything. */
export async function metLimits(path: string): Promise<ReadonlySet<Exceeded['what']> | null> {
  const text = await beginning(path);
  if (text.trim() === '') return null;
  const lines = text.split('\n');
  const isMet = (counter: string) => lines.some((line) => line.startsWith(counter) && line !== `${counter}0`);
  return new Set(COUNTERS.filter(([counter]) => isMet(counter)).map(([, what]) => what));
}

/** The limit that was met, in words; null for none. Memory first: what has none often finds no processes either. */
export function exceededOf(met: ReadonlySet<Exceeded['what']>, limits: BuildLimits): Exceeded | null {
  if (met.has('memory')) return { what: 'memory', limit: formatBytes(limits.memoryBytes) };
  if (met.has('processes')) return { what: 'processes', limit: formatNumber(limits.processes) };
  return null;
}

/** However much a build has written there itself. */
async function beginning(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(NO_LIMITS_MET.length));
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}
