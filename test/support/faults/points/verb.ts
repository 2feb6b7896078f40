import type { Test } from 'supertest';
import type { Given } from './observed.js';
import type { World } from './world.js';

/** One way to change something, as a caller does it. */
export type Verb<G extends Given = Given> = {
  /** As `/openapi.json` has it, and which way it is done where there are several. */
  readonly operation: string;
  readonly way?: string;
  /** Makes all that is needed first. */
  readonly prepare: (world: World) => Promise<G>;
  /** Asks. It is asked once more with the same `Idempotency-Key`. */
  readonly ask: (world: World, given: G) => Test;
  /** What goes on after the answer is over; also after a restart. */
  readonly settled?: (world: World, given: G) => Promise<void>;
  /** Of work that goes on after the answer: the code with which it says that it failed, and what does it again then. */
  readonly later?: {
    readonly failedAs: (world: World, given: G) => Promise<string | null>;
    readonly again: (world: World, given: G) => Test;
  };
  /** What is to be seen besides. */
  readonly look?: (world: World, given: G) => Promise<unknown>;
  /** Of slugs that are seen besides the one that was given. */
  readonly slugs?: (given: G) => readonly string[];
  /**
   * What the same request may do once more where it was answered or not: `nothing` (the answer of the first, or a refusal
   * of what is done already), or `another`, where each request makes one more (docs/interface/conventions.md, "Retry
   * safety"). Where it is `anew` it may be refused though nothing was done, as what it brings is good for once at
   * another server.
   */
  readonly again?: 'nothing' | 'another' | 'anew';
  /**
   * Where nothing was done, the code with which the next try may be refused for a while, as something is held still for
   * the first, and what makes that time pass.
   */
  readonly meanwhile?: { readonly code: string; readonly pass: (world: World, given: G) => Promise<void> };
  /**
   * Why it may be seen half done where it was not answered: what comes first is harmless by itself, and the next try goes
   * on from there. Without this it is seen whole or not at all.
   */
  readonly between?: string;
};

/** Infers what is prepared, which is handed on to the verb itself alone. */
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
    ask: (world, each) => ask(world, own(each)),
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

export const nameOf = ({ operation, way }: Pick<Verb, 'operation' | 'way'>) =>
  way ? `${operation} (${way})` : operation;
