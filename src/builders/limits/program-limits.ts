import type { BuildLimits } from '../../kernel/ports/builder.js';

/**
 * For `prlimit`: what holds for each process by itself. Where there is no control group, these keep the processes in
 * bounds between two looks at their tree; they count by user, and so are wider than what a build may have.
 */
export function programLimits(
  { diskBytes, processes, memoryBytes }: BuildLimits,
  hasGroup: boolean,
): readonly string[] {
  const untilLooked = [`--nproc=${4 * processes}`, `--data=${2 * memoryBytes}`];
  return ['--core=0', `--fsize=${diskBytes}`, ...(hasGroup ? [] : untilLooked)];
}
