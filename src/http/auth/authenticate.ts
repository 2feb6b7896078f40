import type { FastifyInstance } from 'fastify';
import type { Session } from '../../tables/people/sessions.js';
import type { Authentication } from './authentication.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The session of a signed-in caller; null for any other. */
    session: Session | null;
    /** SHA-256 of the edit token in the request, in hexadecimal; null without one. */
    editTokenHash: string | null;
  }
}

/**
 * Authenticates each request before rate limits and rules see it. Nest’s guards, Passport’s too, would run after both.
 */
export function authenticateRequests(instance: FastifyInstance, authentication: Authentication) {
  instance.decorateRequest('session', null);
  instance.decorateRequest('editTokenHash', null);
  instance.addHook('onRequest', async (request) => {
    const { session, editTokenHash } = await authentication.authenticate(request);
    request.session = session;
    request.editTokenHash = editTokenHash;
  });
}
