/**
 * Starts to count what this thread does, and answers a function that says how much that was, in milliseconds of CPU. Time
 * by the clock would have in it what other processes do meanwhile: a limit on it breaks where the machine is busy.
 */
export function cpuClock(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
}
