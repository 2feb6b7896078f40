import { readFileSync } from 'node:fs';

/** Ticks per second in /proc/PID/stat (USER_HZ): 100 on every architecture that Node supports. */
const TICKS_PER_SECOND = 100;

/**
 * Returns the CPU seconds of this process and of all descendants that have ended and were waited for, or null on
 * systems other than Linux. Does not count a process that outlived its parent.
 */
export function cpuSeconds(): number | null {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // The command in parentheses may contain spaces. utime, stime, cutime and cstime are fields 14 to 17.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  } catch {
    return null;
  }
}
