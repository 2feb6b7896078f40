import { randomUUID } from 'node:crypto';
import { leftToLease } from '../../kernel/faults/ignored-fault.js';

/** How long what works once is kept for a caller who took it and fell silent, in seconds. Then another may have it. */
export const LEASE_SECONDS = 60;

/** Whether no caller has it, as a condition on its `taken_at`. */
export const IS_FREE = `(taken_at is null or taken_at < now() - interval '${LEASE_SECONDS} seconds')`;

/** In how many seconds a lease is over, from its `taken_at`; null where no caller has it. */
export const SECONDS_LEFT = `ceil(extract(epoch from taken_at - now()))::integer + ${LEASE_SECONDS}`;

/** What works once, as it is kept. `lease` is of this one taking: what another holds is left alone. */
export type KeptOnce<Taken> = {
  readonly take: (lease: string) => Promise<Taken | null>;
  /** As it was before it was taken, where this lease has it. */
  readonly giveBack: (lease: string) => Promise<unknown>;
  readonly useUp: (lease: string) => Promise<unknown>;
};

/** What became of the work: its result, or that another caller does it, who may need `seconds` more. */
export type Used<Result> = { readonly kind: 'done'; readonly result: Result } | Held;
export type Held = { readonly kind: 'held'; readonly seconds: number };

/** Seconds after which a caller who comes while another has it asks again: most work is done in a moment. */
const SOON = 5;

/** `left` as `SECONDS_LEFT` has it. */
export const heldFor = (left: number | null): Held => ({
  kind: 'held',
  seconds: Math.min(Math.max(left ?? 1, 1), SOON),
});

/**
 * Takes it, does its work, and uses it up with that; null where it cannot be taken. Where taking or work fails it is given
 * back, also where it is not known whether it was taken, as the answer was lost. This throws what they do.
 */
export async function workOnce<Taken, Result>(
  { take, giveBack, useUp }: KeptOnce<Taken>,
  work: (taken: Taken) => Promise<Result>,
): Promise<{ readonly kind: 'done'; readonly result: Result } | null> {
  // Made here and not by the database: it is known whatever becomes of the answer.
  const lease = randomUUID();
  try {
    const taken = await take(lease);
    if (taken === null) return null;
    const result = await work(taken);
    // A caller who is told that this failed would do again what was done.
    await useUp(lease).catch(leftToLease);
    return { kind: 'done', result };
  } catch (error) {
    await giveBack(lease).catch(leftToLease);
    throw error;
  }
}
