/**
 * Signals within this time of the first one belong to the same request, in milliseconds. npm passes signals on
 * to a process that has already received them from the terminal or the supervisor, which signal the whole group.
 */
const SAME_REQUEST_MS = 1_000;

export type StopHandlers = {
  /** Called once, when a stop is requested for the first time. */
  readonly stop: (signal: NodeJS.Signals) => void;
  /** Called once, when it is requested again because the stop takes too long. */
  readonly hurry: () => void;
};

/** Returns a listener for signals that recognizes when someone insists on a stop. `now` is in milliseconds. */
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
 * Calls the handlers on SIGINT, SIGTERM and SIGHUP (the terminal was closed), which then no longer end the process by
 * themselves. `nohup` has no effect on Node in any case, because Node resets ignored signals.
 */
export function onStopRequests(handlers: StopHandlers): void {
  const listener = stopRequests(handlers);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, listener);
}
