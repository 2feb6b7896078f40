import { setTimeout as delay } from 'node:timers/promises';
import { waitEnded } from '../../kernel/faults/ignored-fault.js';
import type { CommandEnd, Exceeded } from '../../kernel/ports/outside/builder.js';

/** A build limit that is checked at intervals. */
export type WatchedLimit = {
  exceeded(): Promise<Exceeded | null>;
  /** True if the kernel enforces the limit. If false, a build that exceeds the limit is ended. */
  readonly isHeld: boolean;
};

const LOOK_EVERY_MS = 250;
/** The pause between two checks lasts at least this many times as long as a check. */
const SHARE = 5;

/** Exit code that shells report for a killed process (128 + SIGKILL). */
const KILLED = 137;

/**
 * Runs `work`, and checks the limits in the meantime. A limit that was exceeded only temporarily is reported too,
 * because a command may clean up before it fails. If a limit that the kernel does not enforce is exceeded, aborts the
 * signal passed to `work`. The work then counts as failed, whatever its exit code.
 */
export async function withinLimits(
  limits: readonly WatchedLimit[],
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<CommandEnd>,
): Promise<CommandEnd> {
  const tooMuch = new AbortController();
  const over = new AbortController();
  let met: Exceeded | null = null;
  const look = async (limit: WatchedLimit) => {
    met ??= await limit.exceeded();
    if (met && !limit.isHeld) tooMuch.abort();
  };
  const watch = async (limit: WatchedLimit) => {
    while (!over.signal.aborted) {
      const began = performance.now();
      await look(limit);
      const pause = Math.max(LOOK_EVERY_MS, SHARE * (performance.now() - began));
      await delay(pause, undefined, { signal: over.signal }).catch(waitEnded);
    }
  };
  const watching = Promise.all(limits.map(watch));
  const working = work(AbortSignal.any([signal, tooMuch.signal])).catch((error: unknown) => {
    if (signal.aborted || !tooMuch.signal.aborted) throw error;
    return { exitCode: KILLED, exceeded: null };
  });
  const [end] = await Promise.all([working.finally(() => over.abort()), watching]);
  for (const limit of limits) await look(limit);
  // Work that exceeded a limit not enforced by the kernel counts as failed, even if it ended with exit code 0.
  const exitCode = tooMuch.signal.aborted ? end.exitCode || KILLED : end.exitCode;
  return { ...end, exitCode, exceeded: end.exceeded ?? met };
}
