import { readFile } from 'node:fs/promises';
import type { BuildLimits } from '../../kernel/ports/outside/builder.js';

/** The most that this process may be given of each, in what `prlimit` counts it in; Infinity where nothing is said. */
export type HardLimits = { readonly fsize: number; readonly nproc: number; readonly data: number };

/** As the kernel writes them: what it is called, the limit that holds, and the one that cannot be passed. */
const LINES = {
  fsize: /^Max file size +\S+ +(\d+)/m,
  nproc: /^Max processes +\S+ +(\d+)/m,
  data: /^Max data size +\S+ +(\d+)/m,
};

/** Those of this process (proc_pid_limits(5)). */
export async function hardLimits(file = '/proc/self/limits'): Promise<HardLimits> {
  const text = await readFile(file, 'utf8');
  const most = (line: RegExp) => Number(line.exec(text)?.[1] ?? Number.POSITIVE_INFINITY);
  return { fsize: most(LINES.fsize), nproc: most(LINES.nproc), data: most(LINES.data) };
}

/**
 * More memory than a build may have, at least, in bytes: what takes it fast is to be seen while it does, so that the job
 * says which limit was met, and Node reserves far more than it uses.
 */
const UNTIL_SEEN = 2 * 1_073_741_824;

/**
 * For `prlimit`: what holds for each process by itself. Where there is no control group, these keep the processes in
 * bounds between two looks at their tree; they count by user, and so are wider than what a build may have. None is wider
 * than ours: the kernel would refuse it.
 */
export function programLimits(
  { diskBytes, processes, memoryBytes }: BuildLimits,
  hasGroup: boolean,
  { fsize, nproc, data }: HardLimits,
): readonly string[] {
  const dataBytes = memoryBytes + Math.max(memoryBytes, UNTIL_SEEN);
  const untilLooked = [`--nproc=${Math.min(4 * processes, nproc)}`, `--data=${Math.min(dataBytes, data)}`];
  return ['--core=0', `--fsize=${Math.min(diskBytes, fsize)}`, ...(hasGroup ? [] : untilLooked)];
}
