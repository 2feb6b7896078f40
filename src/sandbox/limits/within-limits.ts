import { setTimeout as delay } from 'node:timers/promises';
import { waitEnded } from '../../kernel/faults/ignored-fault.js';
import type { CommandEnd, Exceeded } from '../../kernel/ports/outside/builder.js';

/** A limit of a build that is looked at from time to time. */
export type WatchedLimit = {
  /** The limit that is met now; null where none is. */
  exceeded(): Promise<Exceeded | null>;
  /** Whether the kernel refuses what is too much. Where it does not, the build is ended. */
  readonly isHeld: boolean;
};

const LOOK_EVERY_MS = 250;
/** Looking takes this part of the time at most. */
const SHARE = 5;

/** As a shell has the exit code of what was killed. */
const KILLED = 137;

/**
 * Does the work, and looks at the limits meanwhile: also one that was met and is not any more, since a command cleans up
 * before it fails. The signal of the work is aborted with the one that is given, and where a limit is met that nothing
 * else holds; then it has not ended well, however it ended.
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
  // What nothing holds may have been passed, and the work done, between two looks.
  const exitCode = tooMuch.signal.aborted ? end.exitCode || KILLED : end.exitCode;
  return { ...end, exitCode, exceeded: end.exceeded ?? met };
}
