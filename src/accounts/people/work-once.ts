import { randomUUID } from 'node:crypto';
import { leftToLease } from '../../kernel/faults/ignored-fault.js';

/** Duration of a lease on an object that can be used once. Afterwards, another caller can get the lease. */
export const LEASE_SECONDS = 60;

/** SQL condition on `taken_at`: no caller has a lease on the object. */
export const IS_FREE = `(taken_at is null or taken_at < now() - interval '${LEASE_SECONDS} seconds')`;

/** SQL expression for the remaining seconds of a lease. Null if no caller has one. */
export const SECONDS_LEFT = `ceil(extract(epoch from taken_at - now()))::integer + ${LEASE_SECONDS}`;

/**
 * A stored object that can be used once, such as a link. `lease` is the ID of one attempt to use the object. It
 * prevents other callers from ending that attempt.
 */
export type KeptOnce<Taken> = {
  readonly take: (lease: string) => Promise<Taken | null>;
  /** Ends the lease if it still belongs to this attempt. */
  readonly giveBack: (lease: string) => Promise<unknown>;
  readonly useUp: (lease: string) => Promise<unknown>;
};

/**
 * The result of the work, or, if another caller is using the object, the number of seconds after which to try again.
 */
export type Used<Result> = { readonly kind: 'done'; readonly result: Result } | BusyResult;
export type BusyResult = { readonly kind: 'held'; readonly seconds: number };

/** Longest wait to suggest to a caller, in seconds. Most work takes only a moment. */
const SOON = 5;

/**
 * Returns the result for a caller who finds the object in use. `left` is the value of the SQL expression
 * `SECONDS_LEFT`.
 */
export const reportHeld = (left: number | null): BusyResult => ({
  kind: 'held',
  seconds: Math.min(Math.max(left ?? 1, 1), SOON),
});

/**
 * Gets a lease on an object that can be used once, does the work, and marks the object as used. Returns null if the
 * object cannot be used. If getting the lease or doing the work fails, ends the lease and rethrows the error. A lease
 * may exist even if getting it failed, because the database’s response may have been lost.
 */
export async function workOnce<Taken, Result>(
  { take, giveBack, useUp }: KeptOnce<Taken>,
  work: (taken: Taken) => Promise<Result>,
): Promise<{ readonly kind: 'done'; readonly result: Result } | null> {
  // Create the lease's ID here and not in the database, so that it is known even if the database’s response is lost.
  const lease = randomUUID();
  try {
    const taken = await take(lease);
    if (taken === null) return null;
    const result = await work(taken);
    // Ignore a failure to mark the object as used. If it were reported, the caller would repeat work that is already
    // done.
    await useUp(lease).catch(leftToLease);
    return { kind: 'done', result };
  } catch (error) {
    await giveBack(lease).catch(leftToLease);
    throw error;
  }
}
