/**
 * Signals within this time after the first signal count as the same request. A terminal or supervisor signals the whole
 * process group, and npm forwards the signal to the process once more.
 */
const SAME_REQUEST_MS = 1_000;

export type StopHandlers = {
  /** Called once, when a stop is requested for the first time. */
  readonly stop: (signal: NodeJS.Signals) => void;
  /** Called once, when a stop is requested a second time. */
  readonly hurry: () => void;
};

export function stopRequests(
  { stop, hurry }: StopHandlers,
  now: () => number = () => performance.now(),
): (signal: NodeJS.Signals) => void {
  let requestedAt: number | null = null;
  let isHurried = false;
  return (signal) => {
    if (requestedAt === null) {
      requestedAt = now();
      stop(signal);
    } else if (!isHurried && now() - requestedAt >= SAME_REQUEST_MS) {
      isHurried = true;
      hurry();
    }
  };
}

/**
 * Calls the handlers on SIGINT, SIGTERM and SIGHUP (sent when the terminal closes) instead of letting these signals
 * end the process. `nohup` has no effect on Node, because Node resets ignored signals.
 */
export function onStopRequests(handlers: StopHandlers): void {
  const listener = stopRequests(handlers);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, listener);
}

/**
 * Ignores EPIPE errors on standard output and standard error. In `npm start | tee log`, Ctrl-C also ends `tee`, so the
 * next write fails. Otherwise, that failure would end the process and leave the embedded PostgreSQL running.
 */
export function surviveClosedOutput(): void {
  for (const output of [process.stdout, process.stderr])
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
}
