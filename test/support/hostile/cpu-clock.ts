/** Elapsed time would include other processes, so a limit on it would fail on a busy machine. */
export function cpuClock(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
}
