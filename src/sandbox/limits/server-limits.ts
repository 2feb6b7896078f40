import { readFile } from 'node:fs/promises';
import type { BuildLimits } from '../../kernel/ports/outside/builder.js';

/** Hard limits of this process, in the units of `prlimit`. Infinity means unlimited. */
export type HardLimits = { readonly fsize: number; readonly nproc: number; readonly data: number };

/** Lines of /proc/self/limits: name, soft limit, hard limit. */
const LINES = {
  fsize: /^Max file size +\S+ +(\d+)/m,
  nproc: /^Max processes +\S+ +(\d+)/m,
  data: /^Max data size +\S+ +(\d+)/m,
};

export async function hardLimits(file = '/proc/self/limits'): Promise<HardLimits> {
  const text = await readFile(file, 'utf8');
  const most = (line: RegExp) => Number(line.exec(text)?.[1] ?? Number.POSITIVE_INFINITY);
  return { fsize: most(LINES.fsize), nproc: most(LINES.nproc), data: most(LINES.data) };
}

/**
 * Minimum difference between the kernel’s limit and a build’s memory limit, in bytes. With a smaller difference, a
 * process would end before the check that determines which limit was exceeded. Node also reserves far more memory than
 * it uses.
 */
const UNTIL_SEEN = 2 * 1_073_741_824;

/**
 * Returns `prlimit` arguments that limit each process. Without a control group, they restrict processes between two
 * checks of the process tree. They are less strict than the build’s limits, because the kernel counts processes per
 * user. They never exceed this process’s hard limits, because the kernel would refuse higher limits.
 */
export function computeServerLimits(
  { diskBytes, processes, memoryBytes }: BuildLimits,
  hasGroup: boolean,
  { fsize, nproc, data }: HardLimits,
): readonly string[] {
  const dataBytes = memoryBytes + Math.max(memoryBytes, UNTIL_SEEN);
  const untilLooked = [`--nproc=${Math.min(4 * processes, nproc)}`, `--data=${Math.min(dataBytes, data)}`];
  return ['--core=0', `--fsize=${Math.min(diskBytes, fsize)}`, ...(hasGroup ? [] : untilLooked)];
}
