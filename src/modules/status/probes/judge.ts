import type { ComponentName } from '../components.js';
import { OutOfReach, reasonOf, WITHIN_MS } from './probe-fault.js';

/** What one try came to; null where there was nothing to try, or no way to it. */
export type Finding = {
  readonly component: ComponentName;
  readonly isWell: boolean;
  readonly ms: number;
  readonly reason: string | null;
};

/**
 * Tries a part, ten seconds at most, or until the process is `stopping`: well if `attempt` resolves. It never rejects. An
 * attempt that answers `nothing` has found that the service has no such part.
 */
export async function judge(
  component: ComponentName,
  stopping: AbortSignal,
  attempt: (signal: AbortSignal) => Promise<unknown>,
): Promise<Finding | null> {
  const begun = performance.now();
  const ending = new AbortController();
  const late = AbortSignal.timeout(WITHIN_MS);
  const took = () => performance.now() - begun;
  try {
    const over = AbortSignal.any([stopping, late]);
    // An attempt that does not heed its signal is not waited for either.
    const isOver = new Promise<never>((_, reject) => {
      over.addEventListener('abort', () => reject(over.reason), { once: true });
    });
    const came = await Promise.race([attempt(AbortSignal.any([ending.signal, over])), isOver]);
    return came === nothing ? null : { component, isWell: true, ms: took(), reason: null };
  } catch (error) {
    // A process that stops refuses what it asks itself: that is no outage.
    if (error instanceof OutOfReach || stopping.aborted) return null;
    return { component, isWell: false, ms: took(), reason: reasonOf(late.aborted ? late.reason : error) };
  } finally {
    ending.abort();
  }
}

/** There is no such part here. */
export const nothing = Symbol('nothing');
