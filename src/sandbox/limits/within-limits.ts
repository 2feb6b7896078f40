import { setTimeout as delay } from 'node:timers/promises';
import { waitEnded } from '../../kernel/faults/ignored-fault.js';
import type { CommandEnd, Exceeded } from '../../kernel/ports/outside/builder.js';

/** A limit of a build that is checked at intervals. */
export type WatchedLimit = {
  /** Returns the limit that is reached now; null for none. */
  exceeded(): Promise<Exceeded | null>;
  /** Whether the kernel enforces the limit. If not, the build is ended. */
  readonly isHeld: boolean;
};

const LOOK_EVERY_MS = 250;
/** Pause as a multiple of the time that a check takes. */
const SHARE = 5;

/** Exit code of a killed process, in the form that shells use. */
const KILLED = 137;

/**
 * Runs the work and checks the limits meanwhile. Also reports a limit that is no longer reached, since a command may
 * clean up before it fails. The signal passed to the work is aborted with the given one, or when a limit is exceeded
 * that the kernel does not enforce. The work has then failed, whatever its exit code.
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
  // A limit can be exceeded and the work completed between two checks.
  const exitCode = tooMuch.signal.aborted ? end.exitCode || KILLED : end.exitCode;
  return { ...end, exitCode, exceeded: end.exceeded ?? met };
}
