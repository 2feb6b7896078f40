import type { AgentGrant } from '../../../kernel/ports/agent-grants.js';

/** The caller on whose behalf the service sends a request to its own API. */
export type InnerCaller = {
  /** The connected app’s rights and the person for whom it acts; null if no person has signed in. */
  readonly grant: AgentGrant | null;
  /** The client’s IP address, for rate limits. */
  readonly address: string;
};

const callers = new WeakMap<object, InnerCaller>();

/** Marks a request as an internal one for this caller. Nothing in a request from outside can have this effect. */
export const markInner = (request: object, caller: InnerCaller) => void callers.set(request, caller);

/** The caller of an internal request; null for a request from outside. */
export const findInnerCaller = (request: object): InnerCaller | null => callers.get(request) ?? null;
