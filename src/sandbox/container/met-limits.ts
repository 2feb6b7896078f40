import { open } from 'node:fs/promises';
import { formatBytes, formatNumber } from '../../kernel/output/quantities.js';
import type { BuildLimits, Exceeded } from '../../kernel/ports/outside/builder.js';

/**
 * File in which the first process of a container reports how often limits were reached. It is the last process that can
 * read the counters.
 */
export const MET_LIMITS = '/run/met-limits';

/**
 * The first process of a container. It adopts orphaned processes, and runs until the command has ended. Builds cannot
 * kill it. It writes only with shell builtins, because the process limit may have been reached.
 */
export const FIRST_PROCESS = `"$@"
code=$?
for file in memory.events pids.events memory/memory.oom_control pids/pids.events; do
  if [ -r /sys/fs/cgroup/$file ]; then
    while read -r name count; do echo "$file $name $count"; done < /sys/fs/cgroup/$file
  fi
done 1<> ${MET_LIMITS}
exit $code`;

/** Content that reserves space in the file before a build can fill the disk. */
export const NO_LIMITS_MET = `${' '.repeat(1_023)}\n`;

/** Counters of both control group versions. */
const COUNTERS = [
  ['memory.events oom_kill ', 'memory'],
  ['memory/memory.oom_control oom_kill ', 'memory'],
  ['pids.events max ', 'processes'],
  ['pids/pids.events max ', 'processes'],
] as const;

/** Reads the limits that the first process has reported; null if it was ended before it could report any. */
export async function metLimits(path: string): Promise<ReadonlySet<Exceeded['what']> | null> {
  const text = await beginning(path);
  if (text.trim() === '') return null;
  const lines = text.split('\n');
  const isMet = (counter: string) => lines.some((line) => line.startsWith(counter) && line !== `${counter}0`);
  return new Set(COUNTERS.filter(([counter]) => isMet(counter)).map(([, what]) => what));
}

/**
 * Describes the limit that was reached; null for none. Memory comes first, because a lack of memory often makes process
 * creation fail as well.
 */
export function findExceededLimit(met: ReadonlySet<Exceeded['what']>, limits: BuildLimits): Exceeded | null {
  if (met.has('memory')) return { what: 'memory', limit: formatBytes(limits.memoryBytes) };
  if (met.has('processes')) return { what: 'processes', limit: formatNumber(limits.processes) };
  return null;
}

/** Reads the beginning of the file, which a build may have made larger. */
async function beginning(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(NO_LIMITS_MET.length));
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}
