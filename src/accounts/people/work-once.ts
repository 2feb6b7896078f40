import { randomUUID } from 'node:crypto';
import { leftToLease } from '../../kernel/faults/ignored-fault.js';

/** Lease of a caller that takes something which works once. After this time, another caller may take it. */
export const LEASE_SECONDS = 60;

/** SQL condition on `taken_at`: no caller has a lease. */
export const IS_FREE = `(taken_at is null or taken_at < now() - interval '${LEASE_SECONDS} seconds')`;

/** SQL expression for the remaining seconds of a lease; null if there is none. */
export const SECONDS_LEFT = `ceil(extract(epoch from taken_at - now()))::integer + ${LEASE_SECONDS}`;

/**
 * A stored object that works once. `lease` identifies one attempt to take it, so that a lease of another caller is not
 * changed.
 */
export type KeptOnce<Taken> = {
  readonly take: (lease: string) => Promise<Taken | null>;
  /** Releases it if this lease has it. */
  readonly giveBack: (lease: string) => Promise<unknown>;
  readonly useUp: (lease: string) => Promise<unknown>;
};

/** The result of the work, or the time that another caller may need for it, in seconds. */
export type Used<Result> = { readonly kind: 'done'; readonly result: Result } | BusyResult;
export type BusyResult = { readonly kind: 'held'; readonly seconds: number };

/** Maximum number of seconds after which a caller should try again. Most work takes only a moment. */
const SOON = 5;

/** `left` is the value of `SECONDS_LEFT`. */
export const reportHeld = (left: number | null): BusyResult => ({
  kind: 'held',
  seconds: Math.min(Math.max(left ?? 1, 1), SOON),
});

/**
 * Takes the object, does its work, and uses it up. Null if it cannot be taken. If taking it or the work fails, it is
 * given back, even if the response was lost and it is unknown whether it was taken. Errors are passed on.
 */
export async function workOnce<Taken, Result>(
  { take, giveBack, useUp }: KeptOnce<Taken>,
  work: (taken: Taken) => Promise<Result>,
): Promise<{ readonly kind: 'done'; readonly result: Result } | null> {
  // Created here rather than by the database, so that it is known even if the response is lost.
  const lease = randomUUID();
  try {
    const taken = await take(lease);
    if (taken === null) return null;
    const result = await work(taken);
    // Reporting a failure would make the caller repeat completed work.
    await useUp(lease).catch(leftToLease);
    return { kind: 'done', result };
  } catch (error) {
    await giveBack(lease).catch(leftToLease);
    throw error;
  }
}
