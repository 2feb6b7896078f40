import type { Test } from 'supertest';
import type { Given } from './observed.js';
import type { World } from './world.js';

/** One way to change something with an API operation, and what a test must know about it. */
export type Verb<G extends Given = Given> = {
  /** Name of this variant, if the operation has several. */
  readonly way?: string;
  readonly prepare: (world: World) => Promise<G>;
  /**
   * Builds the request, which is also sent again with the same `Idempotency-Key`. By default, this is the request of the
   * operation (`test/support/operations/`), for the prepared site.
   */
  readonly ask?: (world: World, given: G) => Test;
  /** Waits until the work that continues after the response is done, even if the service restarts. */
  readonly settled?: (world: World, given: G) => Promise<void>;
  /**
   * Only for operations whose work continues after the response. `failedAs` returns the error code of work that failed,
   * and `again` builds the request that repeats the work.
   */
  readonly later?: {
    readonly failedAs: (world: World, given: G) => Promise<string | null>;
    readonly again: (world: World, given: G) => Test;
  };
  readonly look?: (world: World, given: G) => Promise<unknown>;
  readonly slugs?: (given: G) => readonly string[];
  /**
   * Effect of sending the request again. `nothing`: the first response is returned again, or the request is refused as
   * already done. `another`: each request creates another object (docs/interface/conventions.md, "Retry safety").
   * `anew`: the request may be refused even though the first attempt changed nothing, because another server accepts
   * its input only once.
   */
  readonly again?: 'nothing' | 'another' | 'anew';
  /**
   * An attempt that changed nothing may still have reserved something. Until the reservation expires, the next attempt
   * may be refused with `code`. `pass` makes that time pass.
   */
  readonly meanwhile?: { readonly code: string; readonly pass: (world: World, given: G) => Promise<void> };
  /**
   * Reason why a request without a response may leave a partial effect, which must be harmless and be completed by a
   * retry. If absent, the effect must be complete or not happen at all.
   */
  readonly between?: string;
};

export type NamedVerb = Verb & { readonly operation: string; readonly ask: (world: World, given: Given) => Test };

/** Lets TypeScript infer the type of the values that `prepare` returns. */
export function verb<G extends Given>({
  prepare,
  ask,
  settled,
  later,
  meanwhile,
  look,
  slugs,
  ...rest
}: Verb<G>): Verb {
  const given = new WeakMap<Given, G>();
  const own = (each: Given): G => {
    const found = given.get(each);
    if (!found) throw new Error('This was prepared for another verb.');
    return found;
  };
  return {
    ...rest,
    prepare: async (world) => {
      const made = await prepare(world);
      given.set(made, made);
      return made;
    },
    ...(ask && { ask: (world, each) => ask(world, own(each)) }),
    ...(settled && { settled: (world, each) => settled(world, own(each)) }),
    ...(later && {
      later: {
        failedAs: (world, each) => later.failedAs(world, own(each)),
        again: (world, each) => later.again(world, own(each)),
      },
    }),
    ...(meanwhile && {
      meanwhile: { code: meanwhile.code, pass: (world, each) => meanwhile.pass(world, own(each)) },
    }),
    ...(look && { look: (world, each) => look(world, own(each)) }),
    ...(slugs && { slugs: (each) => slugs(own(each)) }),
  };
}

export const nameOf = ({ operation, way }: Pick<NamedVerb, 'operation' | 'way'>) =>
  way ? `${operation} (${way})` : operation;
