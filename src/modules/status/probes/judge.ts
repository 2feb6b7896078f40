import type { ComponentName } from '../components.js';
import { describeProbeError, UnreachableComponentError, WITHIN_MS } from './probe-fault.js';

/** Result of a probe. A component that does not exist or can't be reached has no result. */
export type Finding = {
  readonly component: ComponentName;
  readonly isWell: boolean;
  readonly ms: number;
  readonly reason: string | null;
};

/**
 * Runs a probe for up to ten seconds or until `stopping` aborts. The component counts as operational if `attempt`
 * resolves. Never rejects.
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
    // Reject when the signal aborts, because the attempt might ignore the signal.
    const isOver = new Promise<never>((_, reject) => {
      over.addEventListener('abort', () => reject(over.reason), { once: true });
    });
    const came = await Promise.race([attempt(AbortSignal.any([ending.signal, over])), isOver]);
    return came === nothing ? null : { component, isWell: true, ms: took(), reason: null };
  } catch (error) {
    // A process that is stopping refuses its own requests. This is not an outage.
    if (error instanceof UnreachableComponentError || stopping.aborted) return null;
    return { component, isWell: false, ms: took(), reason: describeProbeError(late.aborted ? late.reason : error) };
  } finally {
    ending.abort();
  }
}

/** Returned by a probe if this service does not have the component. */
export const nothing = Symbol('nothing');
