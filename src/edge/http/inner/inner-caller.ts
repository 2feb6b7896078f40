import type { AgentGrant } from '../../../kernel/ports/agent-grants.js';

/** The caller on whose behalf the service sends a request to its own API. */
export type InnerCaller = {
  /** The rights of the connected app and the user for whom it acts, or null if no user has signed in. */
  readonly grant: AgentGrant | null;
  /** The client’s IP address, for rate limits. */
  readonly address: string;
};

const callers = new WeakMap<object, InnerCaller>();

/** Marks a request as an internal one for this caller. A request from outside cannot be marked. */
export const markInner = (request: object, caller: InnerCaller) => void callers.set(request, caller);

/** Returns the caller of an internal request, or null for a request from outside. */
export const findInnerCaller = (request: object): InnerCaller | null => callers.get(request) ?? null;
