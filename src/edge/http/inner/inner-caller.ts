import type { AgentGrant } from '../../../kernel/ports/agent-grants.js';

/** For whom the service asks its own interface. */
export type InnerCaller = {
  /** What the program may do, and for whom; null for one that no person has signed in. */
  readonly grant: AgentGrant | null;
  /** The address of the client, which its rates are counted by. */
  readonly address: string;
};

const callers = new WeakMap<object, InnerCaller>();

/** From now on the request is known as one that the service makes itself, for this caller. Nothing that is sent can do that. */
export const markInner = (request: object, caller: InnerCaller) => void callers.set(request, caller);

/** For whom the service has made this request; null for one that came from outside. */
export const innerCallerOf = (request: object): InnerCaller | null => callers.get(request) ?? null;
