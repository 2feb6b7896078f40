// What the operating system knows of processes (Linux).
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** What a process has of the machine's memory, in KiB. */
export const memoryOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);

/** Seconds of CPU that a process and all that it has started have used, those that have ended included. */
export function cpuSecondsOf(pid) {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter(Boolean);
  const tree = [pid];
  for (const member of tree) for (const { id, parent } of stats) if (parent === member) tree.push(id);
  return stats.filter(({ id }) => tree.includes(id)).reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND;
}

function statOf(name) {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return { id: Number(name), parent: fields[1], ticks: fields[11] + fields[12] + fields[13] + fields[14] };
  } catch {
    return null; // It has ended meanwhile.
  }
}
