// Reads the operating system's figures about processes (Linux).
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Returns the resident memory in KiB. */
export const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

/** Returns the CPU seconds of a process and its descendants, including those that have ended. */
export function cpuSecondsOf(pid: number): number {
  const tree = treeOf(pid);
  return tree.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND;
}

type Stat = { readonly id: number; readonly parent: number; readonly ticks: number };

/** Returns a process and all its running descendants. */
export function treeOf(pid: number): Stat[] {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter((stat) => stat !== null);
  const tree = [pid];
  for (const member of tree) for (const { id, parent } of stats) if (parent === member) tree.push(id);
  return stats.filter(({ id }) => tree.includes(id));
}

function statOf(name: string): Stat | null {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0);
    return { id: Number(name), parent: fields[1] ?? 0, ticks };
  } catch {
    return null; // The process ended in the meantime.
  }
}
