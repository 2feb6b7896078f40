import type { OAuthGrant } from '../../../kernel/ports/oauth-grants.js';

/** The caller for whom the service sends a request to its own API. */
export type InnerCaller = {
  /** The connected app's rights and its user, or null if no user has signed in. */
  readonly grant: OAuthGrant | null;
  /** The client’s IP address, for rate limits. */
  readonly address: string;
};

const callers = new WeakMap<object, InnerCaller>();

/**
 * Marks a request as internal. The mark is kept in this process’s memory, so a request from outside cannot have one.
 */
export const markInner = (request: object, caller: InnerCaller) => void callers.set(request, caller);

export const findInnerCaller = (request: object): InnerCaller | null => callers.get(request) ?? null;
