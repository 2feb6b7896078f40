import { open } from 'node:fs/promises';
import { formatBytes, formatNumber } from '../../kernel/output/quantities.js';
import type { BuildLimits, Exceeded } from '../../kernel/ports/outside/builder.js';

/**
 * File in which a container’s first process reports the limits that were reached, because no other process can read the
 * counters.
 */
export const MET_LIMITS = '/run/met-limits';

/**
 * Script of a container’s first process, which builds cannot kill. The process adopts orphans and runs until the
 * command has ended. It writes only with shell builtins, because the process limit may have been reached.
 */
export const FIRST_PROCESS = `"$@"
code=$?
for file in memory.events pids.events memory/memory.oom_control pids/pids.events; do
  if [ -r /sys/fs/cgroup/$file ]; then
    while read -r name count; do echo "$file $name $count"; done < /sys/fs/cgroup/$file
  fi
done 1<> ${MET_LIMITS}
exit $code`;

/**
 * Initial content of the file in which reached limits are reported. It reserves space before a build can fill the disk.
 */
export const NO_LIMITS_MET = `${' '.repeat(1_023)}\n`;

/** Names of the counters of reached limits, in both versions of control groups. */
const COUNTERS = [
  ['memory.events oom_kill ', 'memory'],
  ['memory/memory.oom_control oom_kill ', 'memory'],
  ['pids.events max ', 'processes'],
  ['pids/pids.events max ', 'processes'],
] as const;

/**
 * Reads the limits that a container’s first process has reported. Returns null if that process ended before it could
 * report any.
 */
export async function metLimits(path: string): Promise<ReadonlySet<Exceeded['what']> | null> {
  const text = await beginning(path);
  if (text.trim() === '') return null;
  const lines = text.split('\n');
  const isMet = (counter: string) => lines.some((line) => line.startsWith(counter) && line !== `${counter}0`);
  return new Set(COUNTERS.filter(([counter]) => isMet(counter)).map(([, what]) => what));
}

/**
 * Describes the limit that was reached. Memory takes precedence, because a lack of memory also makes processes fail.
 */
export function findExceededLimit(met: ReadonlySet<Exceeded['what']>, limits: BuildLimits): Exceeded | null {
  if (met.has('memory')) return { what: 'memory', limit: formatBytes(limits.memoryBytes) };
  if (met.has('processes')) return { what: 'processes', limit: formatNumber(limits.processes) };
  return null;
}

/** Reads only the beginning of the file, because a build may have made the file larger. */
async function beginning(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(NO_LIMITS_MET.length));
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}
