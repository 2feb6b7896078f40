import { ApiExtension } from '@nestjs/swagger';
import type { RefusalCode } from '../../../kernel/refusal.js';
import type { RouteOptions } from '../route-options.js';
import type { DescribedEvents } from './api-events.js';

/**
 * Whose credentials an operation is for. `anybody`: it is answered without any, and takes those that are there. `upload`:
 * an upload token will do.
 */
export type Access = 'anybody' | 'credential' | 'session' | 'upload';

/**
 * What routes say of themselves, for `/openapi.json` alone: the description is made of it, and none of it is shown as it
 * stands here.
 */
export type OperationTraits = {
  readonly 'x-route': RouteOptions;
  readonly 'x-takes-caller': true;
  readonly 'x-takes-session': true;
  readonly 'x-takes-if-match': true;
  readonly 'x-takes-idempotency-key': true;
  readonly 'x-reads-own-writes': true;
  readonly 'x-access': Access;
  readonly 'x-problems': readonly RefusalCode[];
  /** What its streams are made of. */
  readonly 'x-events': DescribedEvents;
  /** Bodies that a handler reads itself. */
  readonly 'x-request-body': object;
  /** Media types beside the one of the answer’s schema. */
  readonly 'x-also-answers': Readonly<Record<string, object>>;
};

/** Says something of the route that it decorates, or whose parameter it decorates. */
export function tell<Trait extends keyof OperationTraits>(trait: Trait, value: OperationTraits[Trait]) {
  return (target: object, key: string | symbol): void => {
    const descriptor = Object.getOwnPropertyDescriptor(target, key);
    if (descriptor) ApiExtension(trait, value)(target, key, descriptor);
  };
}

/** Which problems the operation answers beside those that every operation of its kind may answer. */
export const ApiProblems = (...codes: readonly RefusalCode[]) => tell('x-problems', codes);

/** Whose credentials the operation is for, where its parameters do not say so. */
export const ApiAccess = (access: Access) => tell('x-access', access);

/** The handler runs under `Idempotency`: the header is its key. */
export const ApiIdempotencyKey = () => tell('x-takes-idempotency-key', true);
